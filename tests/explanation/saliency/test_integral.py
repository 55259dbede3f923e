import pytest
import torch
from torch import nn

from lookalike.explanation.saliency import integrate, to_grid


@pytest.fixture
def inputs():
    return torch.randn(3, 3, 8, 8, generator=torch.Generator().manual_seed(0))


def test_a_linear_score_is_exact_with_one_step(inputs):
    """Of ⟨x, w⟩, which a bilinear score is in either picture, each pixel gives x w."""
    weight = torch.randn(3, 3, 8, 8, generator=torch.Generator().manual_seed(1))
    integral = integrate(
        lambda x, rows: (x * weight[rows]).sum((1, 2, 3)), inputs, steps=1, baseline="mean"
    )
    torch.testing.assert_close(integral.values, inputs * weight)
    torch.testing.assert_close(integral.score, (inputs * weight).sum((1, 2, 3)))
    torch.testing.assert_close(integral.at_baseline, torch.zeros(3))
    assert float(integral.gap.max()) < 1e-4


def test_a_square_is_exact_and_a_cube_has_the_gap_of_the_midpoint_rule(inputs):
    square = integrate(lambda x, _: x.square().sum((1, 2, 3)), inputs, steps=1)
    torch.testing.assert_close(square.values, inputs.square())
    # ∫ 3 α² dα is 1; at the midpoints of n steps it is 1 − 1/(4 n²).
    for steps in (1, 2, 5):
        cube = integrate(lambda x, _: x.pow(3).sum((1, 2, 3)), inputs, steps=steps)
        torch.testing.assert_close(cube.values, inputs.pow(3) * (1 - 1 / (4 * steps**2)))
        expected = inputs.pow(3).sum((1, 2, 3)).abs() / (4 * steps**2)
        torch.testing.assert_close(cube.gap, expected, atol=1e-4, rtol=1e-4)


def test_the_gap_falls_with_steps_and_batches_change_nothing(inputs):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Tanh(), nn.Flatten(), nn.Linear(144, 1)).double()
    inputs = 3 * inputs.double()

    def score(x, rows):
        return net(x)[:, 0] * (1 + rows)

    gaps = [float(integrate(score, inputs, steps=steps).gap.max()) for steps in (1, 4, 16, 64)]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < gaps[0] / 100
    one, many = (integrate(score, inputs, steps=16, batch_size=size) for size in (1, 48))
    torch.testing.assert_close(one.values, many.values)


def test_a_blur_is_the_picture_without_its_detail(inputs):
    values = integrate(lambda x, _: x.sum((1, 2, 3)), inputs, steps=1, baseline="blur").values
    start = inputs - values
    assert start.std() < 0.6 * inputs.std()
    flat = torch.full((1, 3, 8, 8), 0.7)
    assert (
        integrate(lambda x, _: x.sum((1, 2, 3)), flat, steps=1, baseline="blur").values.abs().max()
        < 1e-6
    )


def test_no_gradient_stays_behind(inputs):
    net = nn.Sequential(nn.Flatten(), nn.Linear(192, 1))
    with torch.no_grad():
        integral = integrate(lambda x, _: net(x)[:, 0], inputs, steps=2)
    assert not integral.values.requires_grad
    assert not integral.score.requires_grad
    assert all(parameter.grad is None for parameter in net.parameters())


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
