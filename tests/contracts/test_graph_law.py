"""Law 2 for the graph: parts, maps and regions sum to the score, from maps to numbers."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.heads import Levels
from lookalike.similarity import Graph
from lookalike.types import FeatureMaps

CHANNELS = (4, 6, 8)
NODES = 7


def maps_of(seed, n, sizes, scale):
    generator = torch.Generator().manual_seed(seed)
    stages = [
        torch.randn(n, c, h, w, generator=generator) * scale
        for c, (h, w) in zip(CHANNELS, sizes, strict=True)
    ]
    return FeatureMaps(tuple(stages), (8, 16, 32))


def trained(head, maps, seed):
    """Return a graph with links of a batch and random α and β."""
    similarity = Graph(k=3).build(head.groups, head.levels).double()
    with torch.no_grad():
        generator = torch.Generator().manual_seed(seed)
        similarity.alpha.normal_(std=30.0, generator=generator)
        similarity.beta.normal_(std=0.2, generator=generator)
        similarity.observe(head.train()(maps))
        similarity.settle()
    head.eval()
    return similarity


def bottom_up(similarity, a, b):
    """The recursion as it is defined, from numbers that were saved."""
    state = similarity.state_dict()
    delta = [(x.vectors - y.vectors)[..., 0] ** 2 for x, y in zip(a.levels, b.levels, strict=True)]
    rectified = delta[0]
    for level in range(1, len(delta)):
        eta = a.levels[level].certainty * b.levels[level].certainty
        kappa_logit = 10 * (state["alpha"][level - 1] * eta + state["beta"][level - 1])
        p = 1 / (1 + torch.exp(-kappa_logit))
        links = state["links.running"][level - 1].clamp(min=0)
        least = links.sort(dim=1, descending=True).values[:, 2:3]
        kept = torch.where(links >= least, links, 0.0)
        heard = torch.einsum("ij,nj->ni", kept / (kept.sum(1, keepdim=True) + 1e-8), rectified)
        rectified = p * delta[level] + (1 - p) * heard
    return rectified.sum(1)


GRIDS = [
    [(8, 8), (4, 4), (2, 2)],
    [(5, 7), (3, 4), (2, 3)],
    [(3, 3), (3, 3), (3, 3)],
]


@pytest.mark.parametrize("stages", [(0, 1, 2), (1, 2), (-1,)])
@settings(max_examples=10, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    n=st.integers(1, 4),
    sizes=st.sampled_from(GRIDS),
    scale=st.sampled_from([1e-2, 1.0, 30.0]),
)
def test_parts_maps_and_regions_sum_to_the_score(stages, seed, n, sizes, scale):
    torch.manual_seed(seed)
    head = Levels(stages=stages).build(CHANNELS, NODES)
    first, second = maps_of(seed, n, sizes, scale), maps_of(seed + 1, n, sizes, scale)
    similarity = trained(head, first, seed)
    with torch.no_grad():
        a, b = head(first), head(second)
        left, right = head.tokens(first), head.tokens(second)
    score = similarity.matrix(a, b).diagonal()  # as a search sees it, in float32
    # The rest in float64, so that sums are not at the mercy of tokens that cancel.
    left, right = left.to(torch.float64), right.to(torch.float64)
    a, b = left.embedding(), right.embedding()
    assert torch.allclose(-bottom_up(similarity, a, b), score.double(), atol=1e-5, rtol=0)
    parts = similarity.parts(a, b).values
    maps = similarity.maps(left, right)
    exact = similarity.pairs(a, b)
    (sums,) = maps.sums()
    for other in (
        parts.sum(1),
        sums.sum(1),
        similarity.regions(left, right).sum((1, 2)),
        -bottom_up(similarity, a, b),
    ):
        assert torch.allclose(other, exact, atol=1e-10, rtol=0)
    assert torch.allclose(sums, parts, atol=1e-10, rtol=0)
    assert maps.a.shape[2:] == maps.b.shape[2:] == sizes[stages[0]]


def test_a_map_says_where():
    """A level's cells are shared out evenly, and a position's part is −λ D t."""
    torch.manual_seed(0)
    head = Levels(stages=(0, 1)).build(CHANNELS, NODES).eval()
    first, second = (maps_of(s, 1, [(4, 4), (2, 2), (1, 1)], 1.0) for s in (0, 1))
    similarity = trained(head, first, 0)
    with torch.no_grad():
        left, right = (head.tokens(m).to(torch.float64) for m in (first, second))
    a, b = left.embedding(), right.embedding()
    maps = similarity.maps(left, right)
    low, high = similarity.sensitivity(a, b)
    difference = a.levels[1].vectors - b.levels[1].vectors
    node = 2
    coarse = -high[0, node] * difference[0, node, 0] * left.levels[1][0, node, :, 0]
    shown = maps.a[0, NODES + node]
    assert torch.allclose(shown[:2, 2:], (coarse[1] / 4).expand(2, 2))
    difference = a.levels[0].vectors - b.levels[0].vectors
    fine = low[0, node] * difference[0, node, 0] * right.levels[0][0, node, :, 0]
    assert torch.allclose(maps.b[0, node].flatten(), fine)
