import pytest
import torch

from lookalike.explanation.saliency import baseline_of, to_grid


@pytest.fixture
def inputs():
    return torch.randn(3, 3, 8, 8, generator=torch.Generator().manual_seed(0))


def test_a_blur_is_the_picture_without_its_detail(inputs):
    assert baseline_of(inputs, "blur").std() < 0.6 * inputs.std()
    flat = torch.full((1, 3, 8, 8), 0.7)
    assert torch.allclose(baseline_of(flat, "blur"), flat, atol=1e-6)
    assert not baseline_of(inputs, "mean").any()


@pytest.mark.parametrize("grid", [(2, 2), (3, 5), (8, 8), (12, 9)])
def test_a_map_keeps_its_sum_on_any_grid(inputs, grid):
    maps = inputs[:, 0]
    moved = to_grid(maps, grid)
    assert moved.shape == (3, *grid)
    torch.testing.assert_close(moved.sum((1, 2)), maps.sum((1, 2)))


def test_cells_that_divide_are_added_up():
    maps = torch.arange(16.0).view(1, 4, 4)
    expected = torch.tensor([[[10.0, 18.0], [42.0, 50.0]]])
    torch.testing.assert_close(to_grid(maps, (2, 2)), expected)
