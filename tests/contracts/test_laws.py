"""The two laws, over every head and every similarity there is."""

import typing

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.backbones import Tiny, cut
from lookalike.heads import (
    Attentive,
    Branched,
    Channel,
    Ensemble,
    Gated,
    HeadConfig,
    Levels,
    LinearGroups,
    MultiHead,
    Pooled,
    Single,
)
from lookalike.heads.base import read_stage
from lookalike.protocols import Head
from lookalike.similarity import Cosine, SimilarityConfig, similarity_of
from lookalike.types import FeatureMaps

CHANNELS = (5, 24)
DIM = 60
HEADS = [
    Single(),
    Single(bias=True),
    Single(stage=0),
    LinearGroups(groups=1),
    LinearGroups(groups=5),
    Gated(groups=3),
    Gated(groups=2, reduction=2, stage=0),
    Channel(groups=3),
    Channel(groups=2, reduction=2, stage=0),
    Attentive(groups=1),
    Attentive(groups=4),
    Attentive(groups=3, stage=-2),
    Pooled(),
    Levels(stages=(-1,)),
    Levels(stages=(-2, -1), certainty_rule="rowwise"),
    Ensemble(groups=1),
    Ensemble(groups=3, trunk=1, at_once=2),
    MultiHead(groups=3),
]
FLAT = [head for head in HEADS if not isinstance(head, Levels)]


def test_every_head_is_here():
    union = typing.get_args(typing.get_args(HeadConfig)[0])
    assert {type(head) for head in HEADS} == set(union)


def _build(config):
    """Build a head on maps of CHANNELS; one with branches gets two more stages to run itself."""
    if not isinstance(config, Branched):
        return config.build(CHANNELS, DIM)
    lower, upper = cut(Tiny(channels=(*CHANNELS, 7, 9)).build(), config.branch)
    assert lower.channels == CHANNELS
    return config.build(upper, channels=CHANNELS[-1], dim=DIM)


def _maps(seed: int, n: int, h: int, w: int, scale: float) -> FeatureMaps:
    generator = torch.Generator().manual_seed(seed)
    low = torch.randn(n, CHANNELS[0], 2 * h, 2 * w, generator=generator) * scale
    high = torch.randn(n, CHANNELS[1], h, w, generator=generator) * scale
    return FeatureMaps((low, high), (8, 16))


sizes = st.tuples(st.integers(1, 4), st.integers(1, 6), st.integers(1, 6))
seeds = st.integers(0, 2**31)
scales = st.sampled_from([1e-2, 1.0, 30.0])


@pytest.mark.parametrize("config", HEADS, ids=repr)
@settings(max_examples=25, deadline=None)
@given(seed=seeds, size=sizes, scale=scales)
def test_tokens_sum_to_the_embedding(config, seed, size, scale):
    torch.manual_seed(seed)
    head = _build(config)
    maps = _maps(seed, *size, scale)
    embedding = head(maps).flat()
    tokens = head.tokens(maps)
    # Where tokens cancel, rounding weighs as much more as they are longer than their sum.
    cancelled = max(level.detach().norm(dim=3).sum(2).amax() for level in tokens.levels)
    summed = tokens.embedding().flat()
    assert torch.allclose(summed, embedding, atol=1e-6 * max(2.0, float(cancelled)), rtol=0)


@pytest.mark.parametrize("config", FLAT, ids=repr)
@settings(max_examples=25, deadline=None)
@given(seed=seeds, size=sizes, scale=scales, weighted=st.booleans())
def test_parts_maps_and_regions_sum_to_the_score(config, seed, size, scale, weighted):
    torch.manual_seed(seed)
    head = _build(config)
    weights = tuple(torch.randn(head.groups).tolist()) if weighted else None
    similarity = Cosine(weights=weights).build(head.groups)
    first, second = _maps(seed, *size, scale), _maps(seed + 1, *size, scale)
    a, b = head(first), head(second)
    left, right = head.tokens(first), head.tokens(second)

    score = similarity.matrix(a, b).diagonal()
    parts = similarity.parts(a, b).values
    maps = similarity.maps(left, right)
    for other in (
        similarity.pairs(a, b),
        parts.sum(1),
        maps.a.sum((1, 2, 3)),
        maps.b.sum((1, 2, 3)),
        similarity.regions(left, right).sum((1, 2)),
    ):
        assert torch.allclose(other, score, atol=1e-5, rtol=0)
    assert torch.allclose(maps.a.sum((2, 3)), parts, atol=1e-5, rtol=0)
    assert torch.allclose(maps.b.sum((2, 3)), parts, atol=1e-5, rtol=0)


@pytest.mark.parametrize("config", HEADS, ids=repr)
def test_attention_is_a_distribution_over_positions(config):
    head = _build(config).eval()
    known = head.breakdown(_maps(0, 3, 4, 5, 1.0))
    attention = known.weights()
    assert attention.shape[:2] == (3, head.groups)
    assert attention.shape[2:] == known.attended.shape[2:]
    assert bool((attention >= 0).all())
    assert torch.allclose(attention.sum((2, 3)), torch.ones(3, head.groups), atol=1e-6)
    if known.attention is None:
        assert torch.equal(attention.amin((2, 3)), attention.amax((2, 3)))
    else:
        assert torch.equal(attention, known.attention)


@pytest.mark.parametrize("config", HEADS, ids=repr)
def test_a_breakdown_is_what_the_head_gives_otherwise(config):
    head = _build(config).eval()
    maps = _maps(0, 3, 4, 5, 1.0)
    known, embedding, tokens = head.breakdown(maps), head(maps), head.tokens(maps)
    assert torch.equal(known.embedding.flat(), embedding.flat())
    assert known.tokens.grids == tokens.grids
    for ours, alone in zip(known.tokens.levels, tokens.levels, strict=True):
        assert torch.equal(ours, alone)
    for number, level in enumerate(embedding.levels):
        ours = known.embedding.levels[number]
        assert (ours.links, ours.overlap) == (level.links, level.overlap) == (None, None)
        if level.certainty is None:
            assert ours.certainty is known.tokens.certainty is tokens.certainty is None
        else:
            for sure in (ours.certainty, known.tokens.certainty[number], tokens.certainty[number]):
                assert torch.equal(sure, level.certainty)
        assert torch.equal(known.vectors[number] / known.norms[number], level.vectors)
        assert known.read[number].shape[2:] == tokens.grids[number]


@pytest.mark.parametrize("config", HEADS, ids=repr)
def test_constant_norms_change_no_number_and_the_gradient(config):
    head = _build(config).eval()
    maps = _maps(0, 2, 4, 5, 1.0)
    stages = tuple(z.requires_grad_() for z in maps.stages)
    known = head.breakdown(maps)
    held = known.with_constant_norms()
    assert torch.equal(held.flat(), known.embedding.flat())
    # A unit vector cannot grow along itself; with its norm held constant it can.
    lengths = [e.flat().square().sum() for e in (known.embedding, held)]
    own, grown = (
        torch.autograd.grad(length, stages, allow_unused=True, retain_graph=True)
        for length in lengths
    )
    assert max(float(g.abs().max()) for g in own if g is not None) < 1e-5
    assert max(float(g.abs().max()) for g in grown if g is not None) > 1e-3


@pytest.mark.parametrize("config", HEADS, ids=repr)
def test_every_config_names_what_fits_it(config):
    _, head = config.attach(Tiny(channels=(*CHANNELS, 7, 9)).build(), DIM)
    assert isinstance(head, Head)
    kinds = {
        member.model_fields["kind"].default
        for member in typing.get_args(typing.get_args(SimilarityConfig)[0])
    }
    assert config.similarity in kinds
    similarity_of(config.similarity).build(head.groups, head.levels)
    assert head.shows.sentence.lower().startswith(head.shows.name)
    read_stage(config.top_stage, (1,) * 4, Tiny(channels=(1,) * 4).build().names)


@pytest.mark.parametrize("config", HEADS, ids=repr)
def test_vectors_have_unit_norm_and_zero_features_stay_finite(config):
    head = _build(config)
    maps = _maps(0, 3, 4, 5, 1.0)
    for level in head(maps).levels:
        norms = level.vectors.norm(dim=(1, 2) if isinstance(config, Levels) else 2)
        assert torch.allclose(norms, torch.ones_like(norms), atol=1e-6)

    zero = FeatureMaps(tuple(torch.zeros_like(z, requires_grad=True) for z in maps.stages), (8, 16))
    out = head(zero).flat()
    out.sum().backward()
    assert bool(torch.isfinite(out).all())
    assert all(z.grad is None or bool(torch.isfinite(z.grad).all()) for z in zero.stages)


def test_candidates_are_exact_or_refused():
    head = Attentive(groups=3).build(CHANNELS, DIM)
    e = head(_maps(0, 6, 4, 4, 1.0))
    similarity = Cosine(weights=(0.5, 0.1, 0.4)).build(3)
    vectors = similarity.candidates(e)
    assert torch.allclose(vectors @ vectors.T, similarity.matrix(e, e), atol=1e-6)
    assert Cosine(weights=(0.5, -0.1, 0.4)).build(3).candidates(e) is None
