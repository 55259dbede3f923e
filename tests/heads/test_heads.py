import pytest
import torch

from lookalike.errors import ConfigError
from lookalike.heads import Attentive, Channel, Gated, LinearGroups, Single
from lookalike.heads.grouped import strongest_channel
from lookalike.similarity import Cosine
from lookalike.types import FeatureMaps


def _shuffled(z: torch.Tensor) -> torch.Tensor:
    order = torch.randperm(z.shape[2] * z.shape[3])
    return z.flatten(2)[..., order].unflatten(2, z.shape[2:])


GROUPED = [LinearGroups(groups=4), Gated(groups=4), Channel(groups=4), Attentive(groups=4)]


@pytest.mark.parametrize("config", [*GROUPED, Single()], ids=repr)
def test_moving_positions_about_changes_nothing(config):
    head = config.build((24,), 16).double()
    z = torch.randn(3, 24, 5, 4, dtype=torch.float64)
    before = head(FeatureMaps((z,), (16,))).flat()
    after = head(FeatureMaps((_shuffled(z),), (16,))).flat()
    assert torch.allclose(before, after, atol=1e-12)


def test_attention_moves_with_the_positions():
    head = Attentive(groups=4).build((24,), 16)
    z = torch.randn(2, 24, 5, 4)
    flipped = head.attention(z.flip(3))
    assert torch.allclose(flipped, head.attention(z).flip(3), atol=1e-6)


@pytest.mark.parametrize("kind", [LinearGroups, Gated, Channel, Attentive])
def test_dimension_that_groups_do_not_divide_is_rounded_down_as_in_the_paper(kind):
    head = kind(groups=3).build((64,), 512)
    assert (head.groups, head.dim) == (3, 170)
    maps = FeatureMaps((torch.randn(2, 64, 3, 3),), (16,))
    assert head(maps).flat().shape == (2, 510)


BY_HAND = [
    (Single(), 320 * 512),
    (Single(bias=True), 320 * 512 + 512),
    (LinearGroups(groups=4), 320 * 4 * 128),
    # 320 to 40 with bias; four times 40 to 320 with bias; the shared layer
    (Gated(groups=4), (320 * 40 + 40) + 4 * (40 * 320 + 320) + 320 * 128),
    # four times 320 to 64 to 320 without bias; the shared layer with bias
    (Channel(groups=4), 4 * 2 * 320 * 64 + 320 * 128 + 128),
    # keys 320 × 40, values 320 × 128, four queries of 40
    (Attentive(groups=4), 320 * 40 + 320 * 128 + 4 * 40),
]


@pytest.mark.parametrize(("config", "expected"), BY_HAND, ids=lambda value: str(value))
def test_parameter_counts_equal_hand_counts(config, expected):
    head = config.build((320,), 512)
    assert sum(p.numel() for p in head.parameters()) == expected


def test_attention_starts_flat_or_sharp_by_the_scale_of_the_queries():
    z = torch.randn(8, 24, 5, 4)
    peaks = []
    for scale in (0.0, 1.0, 4.0):
        torch.manual_seed(0)
        head = Attentive(groups=4, query_scale=scale).build((24,), 16)
        peaks.append(float(head.attention(z).detach().amax((2, 3)).mean()))
    assert peaks[0] == pytest.approx(1 / 20)
    assert peaks[0] < peaks[1] < peaks[2]


def test_a_stage_by_its_name():
    head = Attentive(stage="low").build((24, 48), 8, ("low", "high"))
    assert (head.stage, head.key.in_channels) == (0, 24)


def test_channels_look_at_the_same_place_if_one_of_them_is_strongest_everywhere():
    z = torch.zeros(1, 6, 3, 3)
    z[0, 2, 1, 2] = 1.0
    maps = Channel(groups=3).build((6,), 12).attention(z)
    assert maps[0, :, 1, 2].tolist() == pytest.approx([1.0, 1.0, 1.0])


def test_strongest_channel_is_the_one_with_the_highest_peak():
    gated = torch.zeros(1, 1, 2, 1, 3)
    gated[0, 0, 0] = torch.tensor([[2.0, 2.0, 2.0]])
    gated[0, 0, 1] = torch.tensor([[-5.0, 3.0, 1.0]])
    assert strongest_channel(gated).flatten().tolist() == [0.0, 0.75, 0.25]
    assert strongest_channel(-gated.abs()).flatten().tolist() == [pytest.approx(1 / 3)] * 3


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Attentive(groups=8).build((16,), 4), "8 groups"),
        (lambda: Single(stage=3).build((16, 32), 4), "stage = 3"),
        (lambda: Gated(stage="top").build((16, 32), 4, ("a", "b")), "called a, b"),
        (lambda: Cosine(weights=(1.0, 2.0)).build(3), "2 weights for 3 groups"),
    ],
)
def test_parts_that_do_not_fit_are_refused_by_name(build, words):
    with pytest.raises(ConfigError, match=words):
        build()


def test_embeddings_of_another_model_are_refused():
    maps = FeatureMaps((torch.randn(2, 16, 3, 3),), (16,))
    e = Attentive(groups=2).build((16,), 8)(maps)
    with pytest.raises(ValueError, match="another model"):
        Cosine().build(4).matrix(e, e)
