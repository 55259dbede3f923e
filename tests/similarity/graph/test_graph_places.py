"""Where a graph's distance comes from, against the definitions written out node by node."""

import pytest
import torch

from lookalike.similarity.graph import places as graph_places
from lookalike.types import Tokens

NODES, PAIRS = 5, 3
GRIDS = [
    (((4, 6), (2, 3), (1, 1)), ((4, 6), (2, 3), (1, 1))),
    (((5, 7), (3, 4), (2, 3)), ((6, 4), (4, 3), (1, 2))),  # coarser cells straddle finer ones
    (((3, 2), (4, 4), (4, 2)), ((3, 3), (3, 3), (3, 3))),  # the finest level is not the lowest
    (((3, 5),), ((2, 2),)),
]
both_grids = pytest.mark.parametrize("grids", GRIDS, ids=str)


def close(a, b):
    return a.shape == b.shape and torch.allclose(a, b, atol=1e-12, rtol=0)


def pair_of(grids):
    """Return λ of each level, and the tokens of either side of some pairs."""
    generator = torch.Generator().manual_seed(0)

    def tokens(side):
        levels = [
            torch.randn(PAIRS, NODES, h * w, 1, generator=generator, dtype=torch.float64)
            for h, w in side
        ]
        return Tokens(tuple(levels), side)

    weights = [torch.rand(PAIRS, NODES, generator=generator).double() for _ in grids[0]]
    return tuple(weights), tokens(grids[0]), tokens(grids[1])


def finest(grids):
    return max(h for h, _ in grids), max(w for _, w in grids)


def overlap(i, coarse, j, fine):
    """Return the share of piece i of `coarse` pieces of a line that lies in piece j of `fine`."""
    return max(0.0, min((i + 1) / coarse, (j + 1) / fine) - max(i / coarse, j / fine)) * coarse


def sharing(coarse, fine):
    """Return the share of each cell of a coarse grid that falls to each cell of a fine one."""
    (h, w), (tall, wide) = coarse, fine
    shares = [
        [
            overlap(p // w, h, q // wide, tall) * overlap(p % w, w, q % wide, wide)
            for q in range(tall * wide)
        ]
        for p in range(h * w)
    ]
    return torch.tensor(shares, dtype=torch.float64)


def naive_over(weights, mine, other):
    """Return −λ (ẽ − ẽ') t of every node, spread by the whole matrix: pairs × nodes × positions."""
    fine = finest(mine.grids)
    rows = []
    for x in range(PAIRS):
        for level, grid in enumerate(mine.grids):
            shares = sharing(grid, fine)
            for r in range(NODES):
                t, u = mine.levels[level][x, r, :, 0], other.levels[level][x, r, :, 0]
                rows.append((-weights[level][x, r] * (t.sum() - u.sum()) * t) @ shares)
    return torch.stack(rows).view(PAIRS, len(mine.grids) * NODES, *fine)


def naive_regions(weights, a, b):
    """Return −λ (ẽ² + ẽ'² − 2ẽẽ') of every node by pairs of positions, all of it spread."""
    fine = finest(a.grids), finest(b.grids)
    total = torch.zeros(PAIRS, *(h * w for h, w in fine), dtype=torch.float64)
    for x in range(PAIRS):
        for level, weight in enumerate(weights):
            left, right = sharing(a.grids[level], fine[0]), sharing(b.grids[level], fine[1])
            for r in range(NODES):
                t, u = a.levels[level][x, r], b.levels[level][x, r]
                alone = t * t.sum() / len(u) + (u * u.sum() / len(t)).T
                total[x] += left.T @ (weight[x, r] * (2 * t @ u.T - alone)) @ right
    return total


@both_grids
def test_maps_are_those_of_the_nodes_one_by_one(grids):
    weights, a, b = pair_of(grids)
    maps = graph_places.maps(weights, a, b)
    assert maps.together
    assert close(maps.a, naive_over(weights, a, b))
    assert close(maps.b, naive_over(weights, b, a))


@both_grids
def test_the_maps_of_a_level_are_those_of_its_nodes_added_up(grids):
    weights, a, b = pair_of(grids)
    maps = graph_places.maps_of_levels(weights, a, b)
    assert maps.together
    for found, mine, other in ((maps.a, a, b), (maps.b, b, a)):
        nodes = naive_over(weights, mine, other)
        assert close(found, nodes.unflatten(1, (len(weights), NODES)).sum(2))


@both_grids
def test_what_is_shared_is_the_product_alone(grids):
    weights, a, b = pair_of(grids)
    maps = graph_places.shared(weights, a, b)
    assert not maps.together
    for found, mine, other in zip((maps.a, maps.b), (a, b), (b, a), strict=True):
        fine = finest(mine.grids)
        expected = sum(
            torch.einsum("nr,nrp->np", 2 * weight * u.sum((2, 3)), t[..., 0]) @ sharing(grid, fine)
            for weight, t, u, grid in zip(
                weights, mine.levels, other.levels, mine.grids, strict=True
            )
        )
        assert close(found.sum(1), expected.view(PAIRS, *fine))


@both_grids
def test_regions_are_those_of_the_nodes_one_by_one(grids):
    weights, a, b = pair_of(grids)
    regions = graph_places.regions(weights, a, b)
    assert close(regions, naive_regions(weights, a, b))
    swapped = graph_places.regions(weights, b, a)
    assert close(swapped, regions.mT)


def test_without_pairs_there_is_nothing():
    weights, a, b = pair_of(GRIDS[0])
    weights, a, b = tuple(weight[:0] for weight in weights), a[:0], b[:0]
    assert graph_places.maps(weights, a, b).b.shape == (0, 3 * NODES, 4, 6)
    assert graph_places.maps_of_levels(weights, a, b).a.shape == (0, 3, 4, 6)
    assert graph_places.regions(weights, a, b).shape == (0, 24, 24)
