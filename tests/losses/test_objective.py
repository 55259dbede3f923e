import pytest
import torch

from lookalike.config import parse
from lookalike.errors import ConfigError, UsageError
from lookalike.losses import (
    BinomialDeviance,
    Contrastive,
    Divergence,
    Diversity,
    Margin,
    ObjectiveConfig,
    ProxyAnchor,
    sample_triplets,
)
from lookalike.similarity import Cosine, Graph
from lookalike.types import Embedding

LOSSES = [
    Contrastive(),
    Contrastive(pairs="triplets", squared=True),
    Contrastive(squared=True, average="pairs"),
    BinomialDeviance(),
    Margin(),
    ProxyAnchor(),
]
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.kind)
LABELS = torch.tensor([0, 0, 1, 1, 2, 2])
IDS = torch.arange(6)


def objective_of(loss, *, groups=2, dim=4, diversity=None, classes=3, **settings):
    config = ObjectiveConfig(loss=loss, diversity=diversity, **settings)
    return config.build(Cosine().build(groups), classes=classes, groups=groups, dim=dim)


def run(objective, vectors, labels=LABELS, ids=IDS):
    return objective(Embedding.of(vectors), labels, ids, generator=torch.Generator().manual_seed(0))


@every_loss
@pytest.mark.parametrize(
    ("diversity", "over_groups"),
    [
        (Diversity(weight=0.5, normalisation="released"), "mean"),
        (Divergence(weight=0.5, margin=2.0), "sum"),
    ],
    ids=lambda value: getattr(value, "kind", value),
)
def test_gradients_are_those_of_the_numbers(loss, diversity, over_groups, random_vectors):
    objective = objective_of(loss, diversity=diversity, over_groups=over_groups).double()
    parameters = [p.detach().clone().requires_grad_() for p in objective.parameters()]
    names = [name for name, _ in objective.named_parameters()]

    def value(vectors, *parameters):
        arguments = (Embedding.of(vectors), LABELS, IDS)
        return torch.func.functional_call(
            objective,
            dict(zip(names, parameters, strict=True)),
            arguments,
            {"generator": torch.Generator().manual_seed(0)},
        ).value

    vectors = random_vectors(6, 2, 4).requires_grad_()
    assert torch.autograd.gradcheck(value, (vectors, *parameters))


def test_margin_is_sampled_and_scored_by_group(scores_of, random_vectors):
    vectors = random_vectors(6, 2, 4)
    scores = scores_of(vectors, LABELS)
    triplets = sample_triplets(scores, generator=torch.Generator().manual_seed(0))
    boundary = torch.full((2, 3), 1.2, dtype=torch.float64)
    expected = Margin().of_triplets(scores, triplets, boundary).per_matrix.mean()
    objective = objective_of(Margin()).double()
    torch.testing.assert_close(run(objective, vectors).value, expected, check_dtype=True)


def test_diversity_is_added_with_its_weight(random_vectors):
    vectors = random_vectors(6, 2, 4)
    plain = run(objective_of(BinomialDeviance()), vectors)
    both = run(objective_of(BinomialDeviance(), diversity=Diversity(weight=0.3)), vectors)
    unit = torch.nn.functional.normalize(vectors, dim=-1)
    apart = Diversity(weight=1).of_cosines(unit @ unit.transpose(1, 2))
    torch.testing.assert_close(both.value, plain.value + 0.3 * apart)
    torch.testing.assert_close(both.terms["diversity"], apart)
    torch.testing.assert_close(both.terms["metric"], plain.value)
    assert "diversity" not in plain.terms


@every_loss
def test_a_sum_over_groups_is_as_many_means(loss, random_vectors):
    vectors = random_vectors(6, 2, 4)
    mean, total = (
        run(objective_of(loss, over_groups=over).double(), vectors).value
        for over in ("mean", "sum")
    )
    torch.testing.assert_close(total, 2 * mean)


def test_only_groups_are_summed_and_only_levels_are_weighed():
    graph = Graph().build(2, 3)
    sizes = {"classes": 3, "groups": 2, "dim": 1, "levels": 3}
    with pytest.raises(ConfigError, match=r"over_groups = sum: .*objective\.level_weights"):
        ObjectiveConfig(over_groups="sum").build(graph, **sizes)
    for groups in (1, 2):  # two cosines are not a level and a final distance
        with pytest.raises(ConfigError, match="only a graph has levels"):
            objective_of(Contrastive(), groups=groups, level_weights=(0.5,))


def test_a_picture_drawn_twice_is_no_positive_of_itself(random_vectors):
    vectors = random_vectors(6, 2, 4)
    ids = torch.tensor([0, 0, 2, 3, 4, 5])
    result = run(objective_of(Contrastive()), vectors, ids=ids)
    assert float(result.terms["without_positives"]) == 2
    assert float(run(objective_of(Contrastive()), vectors).terms["without_positives"]) == 0


@pytest.mark.parametrize("loss", LOSSES[:-1], ids=lambda loss: loss.kind)  # proxies are pairs
def test_no_pairs_at_all_is_zero_with_history(loss, random_vectors):
    vectors = random_vectors(1, 2, 4).requires_grad_()
    result = run(objective_of(loss), vectors, LABELS[:1], IDS[:1])
    result.value.backward()
    assert float(result.value.detach()) == 0
    assert torch.equal(vectors.grad, torch.zeros(1, 2, 4, dtype=torch.float64))
    assert float(result.terms["without_positives"]) == 1


@every_loss
def test_autocast_outside_changes_nothing(loss, random_vectors):
    objective = objective_of(loss, diversity=Diversity(weight=1.0))
    vectors = random_vectors(6, 2, 4).float()
    expected = run(objective, vectors).value
    with torch.autocast("cpu", dtype=torch.bfloat16):
        actual = run(objective, vectors).value
    assert actual.dtype == torch.float32
    assert torch.equal(actual, expected)


@every_loss
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_embeddings_are_scored_in_float32(loss, dtype, random_vectors):
    vectors = random_vectors(6, 2, 4).to(dtype)
    vectors[0] = 0
    vectors.requires_grad_()
    objective = objective_of(loss)
    result = run(objective, vectors)
    assert result.value.dtype == torch.float32
    torch.testing.assert_close(result.value, run(objective, vectors.detach().float()).value)
    result.value.backward()
    assert bool(torch.isfinite(vectors.grad).all())


@every_loss
@pytest.mark.parametrize("bad", [torch.nan, torch.inf])
def test_numbers_that_are_not_finite_reach_the_value(loss, bad, random_vectors):
    vectors = random_vectors(6, 2, 4)
    vectors[3, 1, 2] = bad
    assert not bool(torch.isfinite(run(objective_of(loss), vectors).value))


def test_float64_stays(random_vectors):
    assert run(objective_of(Contrastive()), random_vectors(6, 2, 4)).value.dtype == torch.float64


@every_loss
def test_terms_are_detached_scalars(loss, random_vectors):
    vectors = random_vectors(6, 2, 4).float().requires_grad_()
    result = run(objective_of(loss, diversity=Diversity(weight=1.0)), vectors)
    assert result.value.requires_grad
    assert all(term.ndim == 0 and not term.requires_grad for term in result.terms.values())


@every_loss
def test_labels_out_of_range_are_refused(loss, random_vectors):
    with pytest.raises(UsageError, match=r"from 0 to 1, got \[2\]"):
        run(objective_of(loss, classes=2), random_vectors(6, 2, 4))


def test_parameters_of_the_loss_are_parameters_of_the_objective():
    names = {
        loss.kind: [name for name, _ in objective_of(loss).named_parameters()] for loss in LOSSES
    }
    assert names == {
        "contrastive": [],
        "binomial": [],
        "margin": ["loss.boundary"],
        "proxy_anchor": ["loss.proxy"],
    }
    assert list(objective_of(Margin()).state_dict()) == ["loss.boundary"]


def test_configs_are_read_by_their_kind():
    data = {"loss": {"kind": "binomial", "alpha": 3}, "diversity": {"weight": 0.01}}
    config = parse(ObjectiveConfig, data)
    assert config.loss == BinomialDeviance(alpha=3)
    assert config.diversity.normalisation == "paper"
    with pytest.raises(ConfigError, match=r"loss\.margin\.bound: unknown key"):
        parse(ObjectiveConfig, {"loss": {"kind": "margin", "bound": 1}})
    with pytest.raises(ConfigError, match="triplet"):
        parse(ObjectiveConfig, {"loss": {"kind": "triplet"}})
