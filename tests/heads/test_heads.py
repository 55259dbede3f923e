import pytest
import torch

from lookalike.errors import ConfigError
from lookalike.heads import Attentive, Single
from lookalike.similarity import Cosine
from lookalike.types import FeatureMaps


def _shuffled(z: torch.Tensor) -> torch.Tensor:
    order = torch.randperm(z.shape[2] * z.shape[3])
    return z.flatten(2)[..., order].unflatten(2, z.shape[2:])


@pytest.mark.parametrize("config", [Attentive(groups=4), Single()], ids=repr)
def test_moving_positions_about_changes_nothing(config):
    head = config.build((24,), 16).double()
    z = torch.randn(3, 24, 5, 4, dtype=torch.float64)
    before = head(FeatureMaps((z,), (16,))).flat()
    after = head(FeatureMaps((_shuffled(z),), (16,))).flat()
    assert torch.allclose(before, after, atol=1e-12)


def test_attention_moves_with_the_positions():
    head = Attentive(groups=4).build((24,), 16)
    z = torch.randn(2, 24, 5, 4)
    flipped = head.weights(z.flip(3))
    assert torch.allclose(flipped, head.weights(z).flip(3), atol=1e-6)


def test_dimension_that_groups_do_not_divide_is_rounded_down_as_in_the_paper():
    head = Attentive(groups=3).build((64,), 512)
    assert (head.groups, head.dim) == (3, 170)


def test_parameter_counts_equal_hand_counts():
    def count(module: torch.nn.Module) -> int:
        return sum(p.numel() for p in module.parameters())

    assert count(Single().build((320,), 512)) == 320 * 512
    assert count(Single(bias=True).build((320,), 512)) == 320 * 512 + 512
    # keys 320 × 40, values 320 × 128, four queries of 40
    assert count(Attentive(groups=4).build((320,), 512)) == 320 * 40 + 320 * 128 + 4 * 40


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Attentive(groups=8).build((16,), 4), "8 groups"),
        (lambda: Single(stage=3).build((16, 32), 4), "stage = 3"),
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
