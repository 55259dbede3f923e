"""What keeps learners apart, on numbers that can be checked with a pencil."""

import pytest
import torch

from lookalike.config import parse
from lookalike.errors import ConfigError
from lookalike.losses import Contrastive, Divergence, Diversity, ObjectiveConfig
from lookalike.similarity import Cosine, Graph
from lookalike.types import Embedding, Level

# Four pictures, three learners, unit vectors in the plane.
FOUR = torch.tensor(
    [
        [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
        [[0.6, 0.8], [1.0, 0.0], [0.0, 1.0]],
        [[0.8, -0.6], [0.0, 1.0], [0.8, -0.6]],
        [[0.0, 1.0], [0.6, 0.8], [0.0, 1.0]],
    ],
    dtype=torch.float64,
)
LABELS = torch.tensor([0, 0, 1, 1])
IDS = torch.arange(4)


def cosines(vectors):
    return vectors @ vectors.transpose(1, 2)


def objective_of(diversity, *, groups=3, similarity=None, **settings):
    config = ObjectiveConfig(loss=Contrastive(), diversity=diversity, **settings)
    similarity = similarity or Cosine().build(groups)
    return config.build(similarity, classes=2, groups=groups, dim=2).double()


def test_by_hand():
    # learners   cosines of the four pictures    D² = 2 − 2 cos       [1 − D²]₊
    # 0 and 1     1.0   0.6  −0.6   0.8       0    0.8  3.2  0.4     1   0.2  0   0.6   = 1.8
    # 0 and 2     0.0   0.8   1.0   1.0       2    0.4  0    0       0   0.6  1   1     = 2.6
    # 1 and 2     0.0   0.0  −0.6   0.8       2    2    3.2  0.4     0   0    0   0.6   = 0.6
    between = cosines(FOUR)
    assert float(Divergence().of_cosines(between)) == pytest.approx(1.8 + 2.6 + 0.6)
    assert float(Divergence(normalisation="mean").of_cosines(between)) == pytest.approx(
        5.0 / (4 * 3)
    )
    # with m = 0.5: 0.5 + 0 + 0 + 0.1, 0 + 0.1 + 0.5 + 0.5 and 0.1
    assert float(Divergence(margin=0.5).of_cosines(between)) == pytest.approx(0.6 + 1.1 + 0.1)


def test_every_pair_of_learners_counts_once():
    alike = torch.ones(5, 4, 4)
    assert float(Divergence().of_cosines(alike)) == 5 * 6
    assert float(Divergence(normalisation="mean").of_cosines(alike)) == 1


def test_gradients_are_those_of_the_numbers():
    generator = torch.Generator().manual_seed(0)
    vectors = torch.randn(4, 3, 3, generator=generator, dtype=torch.float64).requires_grad_()

    def value(vectors, normalisation):
        unit = torch.nn.functional.normalize(vectors, dim=-1)
        return Divergence(margin=2.0, normalisation=normalisation).of_cosines(cosines(unit))

    for normalisation in ("paper", "mean"):
        assert torch.autograd.gradcheck(value, (vectors, normalisation))
        assert torch.autograd.grad(value(vectors, normalisation), vectors)[0].abs().max() > 0.01


def test_learners_that_are_far_enough_apart_are_left_alone():
    between = torch.eye(3).expand(2, 3, 3).clone().requires_grad_()
    Divergence().of_cosines(between).backward()
    assert torch.equal(between.grad, torch.zeros(2, 3, 3))


@pytest.mark.parametrize("normalisation", ["paper", "mean"])
def test_a_single_learner_has_nothing_to_differ_from(normalisation):
    between = torch.ones(3, 1, 1, requires_grad=True)
    loss = Divergence(normalisation=normalisation).of_cosines(between)
    loss.backward()
    assert float(loss.detach()) == 0
    assert torch.equal(between.grad, torch.zeros(3, 1, 1))


def test_it_is_added_with_its_weight_and_named():
    plain = objective_of(None)(Embedding.of(FOUR), LABELS, IDS)
    both = objective_of(Divergence(weight=0.5))(Embedding.of(FOUR), LABELS, IDS)
    assert float(both.value) == pytest.approx(float(plain.value) + 0.5 * 5.0)
    assert float(both.terms["divergence"]) == pytest.approx(5.0)
    assert "diversity" not in both.terms


def test_classes_play_no_part_and_a_picture_twice_counts_twice():
    objective = objective_of(Divergence())
    own = objective(Embedding.of(FOUR), LABELS, IDS).terms["divergence"]
    others = objective(Embedding.of(FOUR), torch.tensor([1, 0, 0, 0]), IDS).terms["divergence"]
    assert float(own) == float(others)
    twice = Embedding.of(torch.cat([FOUR, FOUR[:1]]))
    labels, ids = torch.tensor([0, 0, 1, 1, 0]), torch.tensor([0, 1, 2, 3, 0])
    result = objective(twice, labels, ids)
    assert float(result.terms["divergence"]) == pytest.approx(5.0 + 1.0)  # learners 0 and 1 agree


def test_on_attention_reads_the_overlap_of_the_masks():
    overlap = torch.eye(3, dtype=torch.float64).repeat(4, 1, 1)
    overlap[0, 0, 1] = overlap[0, 1, 0] = 0.9  # D² = 0.2, which costs 0.8
    overlap[2, 1, 2] = overlap[2, 2, 1] = 0.7  # D² = 0.6, which costs 0.4
    overlap[3, 0, 2] = overlap[3, 2, 0] = 0.4  # D² = 1.2, which costs nothing
    overlap.requires_grad_()
    embedding = Embedding((Level(FOUR, overlap=overlap),))
    result = objective_of(Divergence(on="attention"))(embedding, LABELS, IDS)
    assert float(result.terms["divergence"]) == pytest.approx(0.8 + 0.4)
    result.value.backward()
    expected = torch.zeros(4, 3, 3, dtype=torch.float64)
    expected[0, 0, 1] = expected[2, 1, 2] = 2
    torch.testing.assert_close(overlap.grad, expected)


def test_masks_in_half_precision_are_compared_in_float32():
    overlap = torch.full((4, 3, 3), 0.9, dtype=torch.bfloat16)
    embedding = Embedding((Level(FOUR.to(torch.bfloat16), overlap=overlap),))
    result = objective_of(Divergence(on="attention")).float()(embedding, LABELS, IDS)
    assert result.value.dtype == torch.float32
    expected = 4 * 3 * (2 * float(overlap[0, 0, 0]) - 1)
    assert float(result.terms["divergence"]) == pytest.approx(expected)


def test_a_head_without_masks_is_told_which_one_has_them():
    objective = objective_of(Divergence(on="attention"))
    with pytest.raises(ConfigError, match=r"on = attention.*head\.kind = ensemble"):
        objective(Embedding.of(FOUR), LABELS, IDS)


def test_a_graph_is_refused():
    with pytest.raises(ConfigError, match=r"objective\.diversity: .* a graph has none"):
        objective_of(Divergence(), similarity=Graph().build(3, 2))
    # as many matrices as groups do not make a graph's nodes groups
    with pytest.raises(ConfigError, match="a graph has none"):
        objective_of(Diversity(weight=1.0), similarity=Graph().build(3, 2))


def test_a_diversity_without_a_kind_is_what_it_always_was():
    read = parse(ObjectiveConfig, {"diversity": {"weight": 0.01, "normalisation": "released"}})
    assert read.diversity == Diversity(weight=0.01, normalisation="released")
    told = parse(ObjectiveConfig, {"diversity": {"kind": "divergence", "on": "attention"}})
    assert told.diversity == Divergence(on="attention")
    assert parse(ObjectiveConfig, read.model_dump(mode="json")) == read
    assert parse(ObjectiveConfig, told.model_dump(mode="json")) == told
    assert parse(ObjectiveConfig, {"diversity": None}).diversity is None


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, r"diversity\.diversity\.weight: this key is required"),
        ({"weight": 1, "on": "attention"}, r"diversity\.diversity\.on: unknown key.*alpha"),
        ({"kind": "divergence", "alpha": 2}, r"diversity\.divergence\.alpha: unknown key.*margin"),
        ({"kind": "divergence", "margin": 5}, r"diversity\.divergence\.margin: .*4"),
        ({"kind": "apart"}, "'diversity', 'divergence'"),
        ("divergence", "diversity"),
    ],
)
def test_a_wrong_key_is_named(given, words):
    with pytest.raises(ConfigError, match=words):
        parse(ObjectiveConfig, {"diversity": given})
