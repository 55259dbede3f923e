import math

import pytest
import torch
from torch.nn.functional import adaptive_avg_pool2d

from lookalike.errors import ConfigError
from lookalike.heads import Levels
from lookalike.heads.cams import certainties, linearise, link, pool, shares
from lookalike.types import Embedding, FeatureMaps

CHANNELS = (6, 8, 12)
NODES = 5
RULES = pytest.mark.parametrize("rule", ["global", "rowwise"])


def maps_of(*sizes, n=4, dtype=torch.float64, channels=CHANNELS):
    generator = torch.Generator().manual_seed(0)
    stages = [
        torch.randn(n, c, *size, generator=generator, dtype=dtype)
        for c, size in zip(channels, sizes, strict=True)
    ]
    return FeatureMaps(tuple(stages), (4, 8, 16)[: len(stages)])


def cnn_maps(n=4, dtype=torch.float64):
    return maps_of((8, 6), (4, 3), (2, 2), n=n, dtype=dtype)


def build(*, seed=0, nodes=NODES, channels=CHANNELS, **options):
    torch.manual_seed(seed)
    return Levels(**options).build(channels, nodes).double()


@pytest.mark.parametrize("shape", [(8, 6), (1, 1), (1, 7)])
def test_mean_of_a_cam_is_its_node(shape):
    head = build(stages=(0,))
    torch.nn.init.normal_(head.projections[0].bias)
    z = maps_of(shape, channels=CHANNELS[:1]).stages[0]
    z[0] = z[0].round()  # maxima that occur more than once
    nodes = head.projections[0](z.mean((2, 3)) + z.amax((2, 3)))
    assert torch.allclose(head.cams(z, 0).mean((2, 3)), nodes, atol=1e-12)


def test_a_max_at_several_positions_is_placed_at_the_first_as_its_gradient_is():
    z = torch.tensor([[[[1.0, 3.0], [3.0, 3.0]]]], requires_grad=True)
    assert linearise(z).flatten().tolist() == [1.0, 15.0, 3.0, 3.0]
    pool(z).sum().backward()
    assert z.grad.flatten().tolist() == [0.25, 1.25, 0.25, 0.25]


def test_certainty_by_hand():
    cam = torch.tensor([[[[1.0, 2.0], [4.0, 7.0]]]], dtype=torch.float64)
    # Shares 0, .1, .3, .6 and 0, .25, 0, .75: squared deviations from 1/4 over 3.
    assert certainties(cam, "global").item() == pytest.approx(math.sqrt(0.21 / 3))
    assert certainties(cam, "rowwise").item() == pytest.approx(math.sqrt(0.375 / 3))


@RULES
def test_certainty_knows_neither_scale_nor_offset(rule):
    cams = maps_of((5, 4), channels=(7,)).stages[0]
    assert torch.allclose(certainties(3e4 * cams - 9, rule), certainties(cams, rule), atol=1e-9)


@RULES
def test_a_node_that_responds_alike_everywhere_has_no_certainty(rule):
    constant = torch.full((2, 3, 4, 4), -2.0, requires_grad=True)
    assert certainties(constant, rule).tolist() == [[0.0] * 3] * 2
    assert torch.equal(shares(constant, rule), torch.full_like(constant, 1 / 16))
    shares(constant, rule).pow(2).sum().backward()
    assert bool(torch.isfinite(constant.grad).all())
    assert certainties(torch.randn(2, 3, 1, 1), rule).tolist() == [[0.0] * 3] * 2


@RULES
def test_attention_is_what_certainty_is_the_spread_of(rule):
    head = build(certainty_rule=rule)
    attention = head.breakdown(cnn_maps()).attention
    certainty = head(cnn_maps()).levels[-1].certainty
    assert attention.shape == (4, NODES, 2, 2)
    assert torch.allclose(attention.flatten(2).std(2), certainty, atol=1e-12)


def naive_link(upper, lower):
    lower = adaptive_avg_pool2d(lower, upper.shape[2:])
    n, r, s = len(upper), upper.shape[1], lower.shape[1]
    result = torch.zeros(r, s, dtype=upper.dtype)
    for i in range(r):
        for j in range(s):
            for x in range(n):
                a, b = upper[x, i].flatten(), lower[x, j].flatten()
                result[i, j] += a @ b / (a.norm() * b.norm()) / n
    return result


def test_links_equal_a_naive_rewrite_and_lie_above_their_lower_level():
    head = build().train()
    maps = cnn_maps()
    levels = head(maps).levels
    cams = [head.cams(z, i).detach() for i, z in enumerate(maps.stages)]
    assert levels[0].links is None
    for level in (1, 2):
        expected = naive_link(cams[level], cams[level - 1])
        assert torch.allclose(levels[level].links, expected, atol=1e-12)


def test_rows_of_links_are_the_upper_nodes():
    upper = torch.tensor([[[[1.0, 0.0]], [[0.0, -2.0]]]])
    lower = torch.tensor([[[[3.0, 0.0]], [[0.0, 1.0]], [[0.0, 0.0]]]])
    assert link(upper, lower).tolist() == [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]


def test_no_links_outside_training_or_of_an_empty_batch():
    head = build()
    assert all(level.links is None for level in head.eval()(cnn_maps()).levels)
    empty = head.train()(cnn_maps(n=0))
    assert empty.flat().shape == (0, 3 * NODES)
    assert all(level.certainty.shape == (0, NODES) for level in empty.levels)
    assert all(level.links is None for level in empty.levels)


def test_links_stay_with_the_batch_and_leave_with_its_rows(tmp_path):
    batch = build().train()(cnn_maps())
    for same in (batch.detach(), batch.to(torch.float32)):
        assert same.levels[1].links.shape == (NODES, NODES)
    batch.save(tmp_path / "e.safetensors")
    for other in (
        batch[:2],
        Embedding.cat([batch, batch]),
        Embedding.load(tmp_path / "e.safetensors"),
    ):
        assert all(level.links is None for level in other.levels)
        assert other.levels[1].certainty.shape == (len(other), NODES)


def test_tokens_carry_the_certainty_of_their_rows():
    head = build()
    tokens = head.tokens(cnn_maps())
    whole, rows = head(cnn_maps()), tokens[1:3].to(torch.float64).embedding()
    assert len(tokens) == 4
    assert tokens.grids == ((8, 6), (4, 3), (2, 2))
    for level, summed in zip(whole.levels, rows.levels, strict=True):
        assert torch.allclose(summed.vectors, level.vectors[1:3], atol=1e-12)
        assert torch.allclose(summed.certainty, level.certainty[1:3], atol=1e-12)


def test_a_breakdown_makes_each_cam_once(monkeypatch):
    head = build().eval()
    made = []
    cams = head.cams
    monkeypatch.setattr(head, "cams", lambda z, level: made.append(level) or cams(z, level))
    head.breakdown(cnn_maps())
    assert made == [0, 1, 2]


def test_blocks_of_one_size_are_levels_too():
    channels = (8, 8, 8)
    maps = maps_of((3, 3), (3, 3), (3, 3), channels=channels)
    head = build(channels=channels).train()
    levels = head(maps).levels
    assert [level.vectors.shape for level in levels] == [(4, NODES, 1)] * 3
    cams = [head.cams(z, i).detach() for i, z in enumerate(maps.stages)]
    assert torch.allclose(levels[2].links, naive_link(cams[2], cams[1]), atol=1e-12)


@pytest.mark.parametrize("autocast", [False, True])
def test_only_the_vectors_carry_gradient(autocast):
    head = build().float().train()
    maps = cnn_maps(dtype=torch.float32)
    for z in maps.stages:
        z.requires_grad_()
    with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
        embedding = head(maps)
    (embedding.flat() ** 3).sum().backward()
    for level, projection, z in zip(embedding.levels, head.projections, maps.stages, strict=True):
        assert level.certainty.dtype == torch.float32
        assert not level.certainty.requires_grad
        assert level.links is None or not level.links.requires_grad
        assert bool(projection.weight.grad.any())
        assert bool(projection.bias.grad.any())
        assert bool(z.grad.any())


def test_half_precision_takes_no_part_in_certainties_and_links():
    head = build().float().train()
    maps = cnn_maps(dtype=torch.float32)
    expected = head(maps).levels
    with torch.autocast("cpu", torch.bfloat16):
        for level, exact in zip(head(maps).levels, expected, strict=True):
            assert torch.equal(level.certainty, exact.certainty)
            assert level.links is None or torch.equal(level.links, exact.links)


def test_parameters_of_a_resnet50_by_hand():
    head = Levels().build((64, 256, 512, 1024, 2048), 512)
    assert (head.levels, head.groups, head.dim) == (3, 512, 1)
    assert sum(p.numel() for p in head.parameters()) == (512 + 1024 + 2048) * 512 + 3 * 512


def test_initial_weights_follow_fan_out_and_biases_are_zero():
    head = build(channels=(600,), nodes=50, stages=(0,))
    assert float(head.projections[0].weight.detach().std()) == pytest.approx(
        (2 / 50) ** 0.5, rel=0.02
    )
    assert not bool(head.projections[0].bias.any())


def test_stages_by_name():
    assert Levels(stages=("low", -1)).build((6, 8), 4, ("low", "high")).stages == (0, 1)


@pytest.mark.parametrize(
    ("stages", "words"),
    [
        ((-4, -1), "head.stages = -4: the backbone has 3 stages"),
        ((-1, -2), "from low to high"),
        ((2, -1), "each stage once"),
    ],
)
def test_stages_that_do_not_fit_are_refused_by_name(stages, words):
    with pytest.raises(ConfigError, match=words):
        Levels(stages=stages).build(CHANNELS, NODES)
