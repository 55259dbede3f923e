"""The objective on a graph: what is read, what is weighed, and what learns from what."""

import pytest
import torch

from lookalike.config import parse
from lookalike.errors import ConfigError
from lookalike.heads import Levels
from lookalike.losses import (
    BinomialDeviance,
    Contrastive,
    Diversity,
    Margin,
    ObjectiveConfig,
    ProxyAnchor,
)
from lookalike.similarity import Cosine
from lookalike.similarity.graph.graph import Graph
from lookalike.types import Embedding, FeatureMaps, Level

NODES, LEVELS, CLASSES = 6, 3, 3
LABELS = torch.tensor([0, 0, 1, 1, 2, 2])
IDS = torch.arange(6)
LOSSES = [Contrastive(), BinomialDeviance(), Margin(), ProxyAnchor()]
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.kind)


@pytest.fixture
def head():
    torch.manual_seed(0)
    return Levels().build((4, 5, 7), NODES).double()


@pytest.fixture
def maps():
    generator = torch.Generator().manual_seed(1)
    shapes = ((4, 8), (5, 4), (7, 2))
    stages = (torch.randn(6, c, s, s, generator=generator, dtype=torch.float64) for c, s in shapes)
    return FeatureMaps(tuple(stages), (4, 8, 16))


def objective_of(loss, **settings):
    config = ObjectiveConfig(loss=loss, **settings)
    similarity = Graph(k=3).build(NODES, LEVELS)
    sizes = {"classes": CLASSES, "groups": NODES, "dim": 1, "levels": LEVELS}
    return config.build(similarity, **sizes).double()


def run(objective, embedding):
    return objective(embedding, LABELS, IDS, generator=torch.Generator().manual_seed(0))


def weighed(loss, *weights):
    objective = objective_of(loss)
    objective.weights = weights
    return objective


def moved(parameters):
    return [p.grad is not None and bool((p.grad != 0).any()) for p in parameters]


@every_loss
def test_the_final_distance_trains_the_reliability_alone(loss, head, maps):
    objective = weighed(loss, 0.0, 0.0, 0.0, 1.0)
    run(objective, head(maps)).value.backward()
    similarity = objective.similarity
    assert moved([similarity.alpha, similarity.beta]) == [True, True]
    assert not any(moved(head.parameters()))
    if loss.kind == "proxy_anchor":
        assert moved([objective.loss.proxy]) == [False]


@every_loss
def test_a_levels_loss_trains_that_levels_nodes_and_no_reliability(loss, head, maps):
    objective = weighed(loss, 0.0, 1.0, 0.0, 0.0)
    run(objective, head(maps)).value.backward()
    similarity = objective.similarity
    assert not any(moved([similarity.alpha, similarity.beta]))
    assert [all(moved(level.parameters())) for level in head.projections] == [False, True, False]
    if loss.kind == "proxy_anchor":
        of_levels = objective.loss.proxy.grad.view(CLASSES, LEVELS, NODES)
        assert (of_levels != 0).any(2).all(0).tolist() == [False, True, False]


@every_loss
def test_levels_have_their_weights_and_the_final_distance_counts_one(loss, head, maps):
    embedding = head(maps)
    alone = [
        float(run(weighed(loss, *row), embedding).value.detach()) for row in torch.eye(4).tolist()
    ]
    assert len({round(one, 6) for one in alone}) == 4
    value = run(objective_of(loss, level_weights=(0.5, 1.0, 4.0)), embedding).value
    expected = sum(w * one for w, one in zip((0.5, 1.0, 4.0, 1.0), alone, strict=True))
    assert float(value.detach()) == pytest.approx(expected)
    usual = run(objective_of(loss), embedding).value
    assert float(usual.detach()) == pytest.approx(sum(alone) / 4)


def test_a_level_is_scored_as_the_cosine_of_all_its_nodes(head, maps):
    embedding = head(maps)
    value = run(weighed(BinomialDeviance(), 0.0, 0.0, 1.0, 0.0), embedding).value
    plain = ObjectiveConfig(loss=BinomialDeviance()).build(
        Cosine().build(1), classes=CLASSES, groups=1, dim=NODES
    )
    expected = run(plain, Embedding.of(embedding.levels[2].vectors[..., 0])).value
    torch.testing.assert_close(value, expected)


def test_triplets_are_sampled_by_the_numbers_of_a_whole_level(head, maps):
    seen = []
    objective = objective_of(Margin())
    objective.loss.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    run(objective, head(maps))
    assert [(scores.dim, len(scores.cosines)) for scores in seen] == [(NODES, LEVELS + 1)]
    assert objective.loss.boundary.shape == (LEVELS + 1, CLASSES)


@every_loss
def test_norms_do_not_count_and_are_those_of_whole_levels(loss, head, maps):
    embedding = head(maps)
    scaled = Embedding(
        tuple(
            Level(
                level.vectors * torch.linspace(0.5, 3, 6).view(6, 1, 1),
                level.certainty,
                level.links,
            )
            for level in embedding.levels
        )
    )
    expected, actual = (run(objective_of(loss), e).value for e in (embedding, scaled))
    torch.testing.assert_close(actual, expected)


@every_loss
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_scored_in_float32(loss, dtype, head, maps):
    objective = objective_of(loss).float()
    half = head(maps).to(dtype)
    result = run(objective, half)
    assert result.value.dtype == torch.float32
    expected = run(objective_of(loss).float(), half.to(torch.float32)).value
    torch.testing.assert_close(result.value, expected)


def test_the_similarity_hears_of_a_batch_before_it_is_scored(head, maps, monkeypatch):
    objective, order = objective_of(Margin()), []
    similarity = objective.similarity
    observe, cosines = similarity.observe, similarity.cosines
    monkeypatch.setattr(similarity, "observe", lambda e: order.append("observe") or observe(e))
    monkeypatch.setattr(
        similarity, "cosines", lambda a, b: order.append("cosines") or cosines(a, b)
    )
    run(objective, head(maps))
    assert order == ["observe", "cosines"]
    assert bool(similarity.links.kept.any())
    objective.eval()
    run(objective, head.eval()(maps))
    assert order == ["observe", "cosines", "cosines"]


def test_proxies_are_as_certain_as_the_batch(head, maps):
    embedding = head(maps)
    objective = weighed(ProxyAnchor(), 0.0, 0.0, 0.0, 1.0)
    actual = run(objective, embedding).value
    proxies = objective._normalised(objective.loss.proxies(LABELS).embedding)
    sure = Embedding(
        tuple(
            Level(proxy.vectors, level.certainty.mean(0).expand(CLASSES, -1))
            for proxy, level in zip(proxies.levels, embedding.levels, strict=True)
        )
    )
    distances = -objective.similarity.matrix(embedding, sure)
    positive = LABELS[:, None] == torch.arange(CLASSES)
    pull = (16 * (distances - 1.8)).exp().where(positive, 0).sum(0).log1p().mean()
    push = (16 * (2.2 - distances)).exp().where(~positive, 0).sum(0).log1p().mean()
    torch.testing.assert_close(actual.detach(), (pull + push).detach())


def test_with_many_classes_absent_proxies_neither_count_nor_learn(head, maps):
    config = ObjectiveConfig(loss=ProxyAnchor(batch_classes_only=True))
    sizes = {"groups": NODES, "dim": 1, "levels": LEVELS}
    many = config.build(Graph(k=3).build(NODES, LEVELS), classes=9, **sizes).double()
    few = config.build(Graph(k=3).build(NODES, LEVELS), classes=3, **sizes).double()
    with torch.no_grad():
        few.loss.proxy.copy_(many.loss.proxy[[2, 5, 7]])
    embedding = head(maps)
    labels = torch.tensor([2, 2, 5, 5, 7, 7])
    result = many(embedding, labels, IDS)
    torch.testing.assert_close(result.value, run(few, embedding).value)
    result.value.backward()
    learnt = (many.loss.proxy.grad != 0).any(dim=2).any(dim=1)
    assert learnt.nonzero().flatten().tolist() == [2, 5, 7]


def test_what_does_not_fit_a_graph_is_refused():
    with pytest.raises(ConfigError, match="level_weights: 2 weights for 3 levels"):
        objective_of(Margin(), level_weights=(1.0, 2.0))
    with pytest.raises(ConfigError, match="diversity"):
        objective_of(Margin(), diversity=Diversity(weight=0.1))
    with pytest.raises(ConfigError, match="only a graph has levels"):
        ObjectiveConfig(level_weights=(1.0, 2.0, 3.0)).build(
            Cosine().build(4), classes=2, groups=4, dim=8
        )
    with pytest.raises(ConfigError, match=r"level_weights.1: .*greater than or equal to 0"):
        parse(ObjectiveConfig, {"level_weights": [1, -2, 1]})
