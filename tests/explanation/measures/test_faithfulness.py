import itertools
import json

import numpy as np
import pytest
import torch

from lookalike.backbones import Tiny
from lookalike.errors import LookalikeError, UsageError
from lookalike.explanation.interventions.masking import fill_in, on_grid, places
from lookalike.explanation.measures import (
    Curves,
    Masking,
    Study,
    deletion_insertion,
    measure_faithfulness,
)
from lookalike.explanation.saliency import METHODS, Saliency
from lookalike.heads import Attentive, Pooled
from lookalike.model import Model, ModelConfig, create_model
from lookalike.preprocessing import Preprocessing
from lookalike.types import FeatureMaps

PLAIN = Preprocessing(size=16, fit="stretch", mean=(0, 0, 0), std=(1, 1, 1))


class OneCell(torch.nn.Module):
    """A backbone that sees one of 4 × 4 cells, and of that cell only how dark it is."""

    channels, strides, names = (2,), (16,), ("cell",)

    def __init__(self):
        super().__init__()
        self.nothing = torch.nn.Parameter(torch.zeros(1))  # it says on which device the model is

    def forward(self, images):
        dark = 1 - images[:, :, 4:8, 8:12].mean(dim=(1, 2, 3))
        return FeatureMaps((torch.stack([dark, torch.ones_like(dark)], 1)[..., None, None],), (16,))


@pytest.fixture
def one_cell() -> Model:
    """The cosine of (dark, 1) and (dark', 1): it depends on row 1, column 2 and nothing else."""
    model = ModelConfig(
        backbone=Tiny(channels=(2,)), head=Pooled(), dim=2, preprocessing=PLAIN
    ).build()
    model.backbone = OneCell()
    return model.eval()


@pytest.fixture
def small() -> Model:
    torch.manual_seed(0)
    backbone = Tiny(channels=(4, 8))
    return create_model(backbone, head=Attentive(groups=2), dim=4, preprocessing=PLAIN).eval()


@pytest.fixture
def attentive() -> Model:
    torch.manual_seed(0)
    return create_model("tiny", head=Attentive(groups=2), dim=8, preprocessing=PLAIN).eval()


def pictures_with_the_cell_dark(count) -> torch.Tensor:
    images = torch.full((count, 3, 16, 16), 0.9)
    images[:, :, 4:8, 8:12] = 0.0
    return images


def maps(values, count) -> Saliency:
    return Saliency(values.expand(count, *values.shape[-2:]), values.expand(count, 4, 4))


def noise_pairs(count, side, seed=0):
    random = torch.Generator().manual_seed(seed)
    a = torch.rand(count, 3, side, side, generator=random)
    return a, a + 0.05 * torch.randn(a.shape, generator=random)


def test_an_oracle_is_near_zero_and_near_one(one_cell):
    """It hides the cell at the first of 16 steps: all but half a step is lost."""
    images = pictures_with_the_cell_dark(20)
    best = torch.zeros(4, 4)
    best[1, 2] = 1
    (oracle, reverse) = deletion_insertion(
        one_cell,
        images,
        images,
        [maps(best, 20), maps(-best, 20)],
        masking=Masking(fill="mean"),
        orders=100,  # so many that R is nearly what it is on average
    )
    assert oracle[0].area.mean == pytest.approx(1 / 32, abs=0.01)
    assert oracle[1].area.mean == pytest.approx(31 / 32, abs=0.01)
    assert reverse[0].area.mean == pytest.approx(31 / 32, abs=0.01)
    assert reverse[1].area.mean == pytest.approx(1 / 32, abs=0.01)
    assert oracle[0].curve() == pytest.approx([1.0] + [0.0] * 16, abs=1e-6)
    # In random order the cell is hidden at each of the 16 steps alike.
    assert oracle[0].curve(of="random") == pytest.approx(np.linspace(1, 0, 17), abs=0.03)
    # Both pictures have the cell dark at first: their score falls from 1 to that of (v, 1), (1, 1).
    v = float(1 - images.mean())
    blank = (v + 1) / np.sqrt((v**2 + 1) * 2)
    assert oracle[0].drop == pytest.approx(1 - blank, abs=1e-6)
    assert oracle[0].raw_area.mean == pytest.approx(blank + (1 - blank) / 32, abs=1e-6)


@pytest.mark.parametrize(
    ("kind", "of", "fill"),
    [
        ("cosine", "a", "blur"),
        ("cosine", "b", "mean"),
        ("cosine", "both", "mean"),
        ("graph", "a", "mean"),
    ],
)
def test_random_maps_have_one_half(small, graph_of, kind, of, fill):
    """Ten of them, on 100 pairs; scores of a graph are negative distances."""
    model = small if kind == "cosine" else graph_of(-1)
    a, b = noise_pairs(100, 16)
    random = torch.Generator().manual_seed(5)
    maps = [Saliency(*torch.randn(2, 100, 4, 4, generator=random)) for _ in range(10)]
    masking = Masking(fill=fill, of=of, steps=5)
    measured = deletion_insertion(model, a, b, maps, masking=masking, orders=10, batch_size=500)
    for curves in zip(*measured, strict=True):
        areas = [each.area for each in curves]
        assert curves[0].drop > 0
        assert np.mean([area.mean for area in areas]) == pytest.approx(0.5, abs=0.02)
        assert sum(area.low < 0.5 < area.high for area in areas) >= 8


def test_a_map_that_is_the_same_everywhere_is_a_random_one(small):
    a, b = noise_pairs(1000, 16)
    flat = Saliency(torch.zeros(1000, 4, 4), torch.zeros(1000, 4, 4))
    masking = Masking(steps=4)
    ((deletion, insertion),) = deletion_insertion(
        small, a, b, [flat], masking=masking, orders=2, batch_size=500
    )
    assert deletion.area.mean == pytest.approx(0.5, abs=0.02)
    assert insertion.area.mean == pytest.approx(0.5, abs=0.02)


def masked_by_hand(image, filled, hidden):
    """Copy the fill cell by cell, pixel by pixel."""
    image = image.clone()
    rows, columns = hidden.shape
    for y, x in itertools.product(range(image.shape[1]), range(image.shape[2])):
        if hidden[y * rows // image.shape[1], x * columns // image.shape[2]]:
            image[:, y, x] = filled[:, y, x]
    return image


@pytest.mark.parametrize("of", ["a", "b", "both"])
@pytest.mark.parametrize("kind", ["cosine", "graph"])
@torch.no_grad()
def test_curves_are_what_one_gets_one_picture_at_a_time(attentive, graph_of, kind, of):
    model = attentive if kind == "cosine" else graph_of(-2, -1)
    a, b = noise_pairs(3, model.preprocessing.size)
    random = torch.Generator().manual_seed(1)
    saliency = Saliency(*torch.randn(2, 3, 3, 3, generator=random))
    masking = Masking(fill="mean", of=of, steps=4)
    ((deletion, insertion),) = deletion_insertion(
        model, a, b, [saliency], masking=masking, batch_size=5
    )
    counts = [0, 2, 4, 6, 9]
    assert deletion.shares == pytest.approx(np.array(counts) / 9)
    assert insertion.shares == pytest.approx(1 - np.array(counts[::-1]) / 9)
    for i, (step, hidden) in itertools.product(range(3), enumerate(counts)):
        for curves, first in ((deletion, True), (insertion, False)):
            scores = []
            for name in "ab" if of == "both" else of:
                images, values = (a[i], saliency.a[i]) if name == "a" else (b[i], saliency.b[i])
                ranked = values.flatten().argsort(descending=True).tolist()
                gone = ranked[:hidden] if first else ranked[9 - hidden :]
                cells = torch.tensor([cell in gone for cell in range(9)]).view(3, 3)
                filled = images.mean(dim=(1, 2), keepdim=True).expand_as(images)
                masked = masked_by_hand(images, filled, cells)
                pair = (masked, b[i]) if name == "a" else (a[i], masked)
                scores.append(float(model.similarity.pairs(*(model(each[None]) for each in pair))))
            at = step if first else len(counts) - 1 - step
            assert curves.scores[i, at] == pytest.approx(np.mean(scores), abs=1e-5)


def test_pictures_go_through_in_full_batches_and_the_other_side_once(attentive):
    """10 pairs, 8 steps: 2 × 10 whole, 10 blank, and 7 each for 3 random orders and 2 curves."""
    batches = []
    attentive.register_forward_pre_hook(lambda _, args: batches.append(len(args[0])))
    a, b = noise_pairs(10, 16)
    saliency = Saliency(*torch.randn(2, 10, 4, 4))
    deletion_insertion(
        attentive, a, b, [saliency], masking=Masking(steps=8), orders=3, batch_size=32
    )
    assert sum(batches) == 20 + 10 + 5 * 7 * 10
    assert batches == [10, 10, 10] + [32, 32, 6] * 5


def curves_of(scores, random, kind="deletion") -> Curves:
    shares = np.linspace(0, 1, scores.shape[1])
    return Curves(kind, shares, scores, random, np.arange(len(scores)))


@pytest.fixture
def falling():
    """Scores of 50 pairs, and others with the same ends, of no particular shape."""
    random = np.random.default_rng(0)
    scores, others = random.normal(size=(2, 50, 9))
    scores[:, 0] = others[:, 0] = 3 + random.normal(size=50)
    others[:, -1] = scores[:, -1]
    return scores, others


def test_the_area_is_the_ratio_written_out(falling):
    scores, others = falling
    drop = sum(s[0] - s[-1] for s in scores)
    f, r = (
        [sum(s[k] - s[-1] for s in table) / drop for k in range(9)] for table in (scores, others)
    )
    area = sum((f[k] + f[k + 1]) / 2 * (r[k] - r[k + 1]) for k in range(8))
    assert curves_of(scores, others).area.mean == pytest.approx(area)
    backwards = curves_of(scores[:, ::-1], others[:, ::-1], "insertion")
    assert backwards.area.mean == pytest.approx(area)
    assert backwards.drop == pytest.approx(curves_of(scores, others).drop)


def test_a_random_order_itself_has_exactly_one_half(falling):
    """Whatever the shape of its curve, and in every draw of the bootstrap."""
    area = curves_of(falling[1], falling[1]).area
    assert (area.low, area.mean, area.high) == pytest.approx((0.5, 0.5, 0.5))


def test_the_area_does_not_depend_on_the_scale_of_scores(falling):
    scores, others = falling
    as_distance = curves_of(7 * scores - 20, 7 * others - 20)
    assert as_distance.area.mean == pytest.approx(curves_of(scores, others).area.mean)
    assert as_distance.by_pair == pytest.approx(curves_of(scores, others).by_pair)


def test_pairs_whose_score_does_not_fall_do_no_harm(falling):
    scores, others = (np.concatenate([table, table[:1] * 0 + 0.5]) for table in falling)
    with_flat = curves_of(scores, others)
    assert with_flat.area.mean == pytest.approx(curves_of(*falling).area.mean)
    assert with_flat.by_pair[-1] == 0.5


@pytest.mark.parametrize("kind", ["deletion", "insertion"])
def test_the_mean_over_pairs_is_the_area(falling, kind):
    scores, others = falling if kind == "deletion" else (t[:, ::-1] for t in falling)
    curves = curves_of(scores, others, kind)
    assert curves.by_pair.mean() == pytest.approx(curves.area.mean)


def test_without_a_fall_there_is_no_area(falling):
    upside_down = curves_of(-falling[0], -falling[1])
    for ask in (lambda: upside_down.area, upside_down.curve, upside_down.as_dict):
        with pytest.raises(LookalikeError, match="hiding the whole picture"):
            ask()


def test_the_mean_fill_is_each_pictures_own_colour():
    images = torch.stack([torch.full((3, 8, 8), 2.0), torch.arange(192.0).view(3, 8, 8)])
    filled = fill_in(images, Masking(fill="mean"))
    assert torch.equal(filled[0], images[0])
    assert filled[1, :, 3, 5].tolist() == pytest.approx([31.5, 95.5, 159.5])


def test_the_blur_is_a_gaussian_of_the_radius():
    """A white dot becomes a bell whose deviation is a tenth of the side; a plain stays plain."""
    side = 60
    images = torch.zeros(2, 3, side, side)
    images[0, :, 30, 30] = 1.0
    images[1] = 0.7
    dot, plain = fill_in(images, Masking(radius=0.1))
    x = torch.arange(side) - 30.0
    bell = torch.exp(-x.square() / 2 / 6**2)
    bell = bell / bell.sum()
    inner = slice(15, 45)  # nearer to the edges there is less to take the mean of
    assert torch.allclose(dot[1, inner, inner], torch.outer(bell, bell)[inner, inner], rtol=0.03)
    assert dot[1].sum() == pytest.approx(1, abs=0.01)
    assert torch.allclose(plain, images[1], atol=1e-6)


def test_a_finer_map_is_averaged_and_a_coarser_one_interpolated():
    fine = torch.arange(16.0).view(1, 4, 4)
    means = fine.view(1, 2, 2, 2, 2).mean(dim=(2, 4))
    coarse = on_grid(fine, (2, 2))
    assert torch.allclose(coarse / coarse.sum(), means / means.sum())
    line = on_grid(torch.tensor([[[0.0, 1.0], [0.0, 1.0]]]), (2, 4))
    assert line[0, 0].tolist() == pytest.approx([0, 0.25, 0.75, 1])


def test_places_count_from_the_highest_and_break_ties_by_lot():
    values = torch.tensor([[[5.0, 1.0, 1.0], [7.0, 1.0, -2.0]]])
    seen = set()
    for seed in range(30):
        ties = torch.rand(1, 2, 3, generator=torch.Generator().manual_seed(seed))
        order = places(values, ties)[0]
        assert (order[1, 0], order[0, 0], order[1, 2]) == (0, 1, 5)
        seen.add((int(order[0, 1]), int(order[0, 2]), int(order[1, 1])))
    assert seen == set(itertools.permutations((2, 3, 4)))


@pytest.mark.parametrize("wrong", [{"radius": 0.0}, {"cells": 0}, {"steps": 0}])
def test_masking_needs_cells_steps_and_a_radius(wrong):
    with pytest.raises(UsageError, match="cannot mask"):
        Masking(**wrong)


def test_methods_are_measured_on_the_same_pairs(attentive, album):
    attentive.preprocessing = PLAIN.model_copy(update={"size": 64})
    exact, random = METHODS["exact"], METHODS["random"]
    study = Study.of(attentive, album, [exact, random], count=4)
    results = measure_faithfulness(study, swapped=[exact], masking=Masking(fill="mean"))
    assert [(r.method, r.swapped) for r in results] == [
        ("exact", False),
        ("random", False),
        ("exact", True),
    ]
    assert len({r.pairs for r in results}) == 1
    assert len(results[0].pairs) == 4  # three of class a, one of class b
    exact_own, _, exact_swapped = results
    assert np.array_equal(exact_own.deletion.whole, exact_swapped.deletion.whole)
    assert np.array_equal(exact_own.deletion.random, exact_swapped.deletion.random)
    assert not np.array_equal(exact_own.deletion.scores, exact_swapped.deletion.scores)
    assert exact_own.deletion.clusters.tolist() == [a for a, _ in exact_own.pairs]
    told = json.loads(json.dumps(exact_own.as_dict()))
    assert told["deletion"]["area"] == exact_own.deletion.area.as_dict()
    assert told["insertion"]["pairs"] == 4
    assert told["masking"]["fill"] == "mean"


def test_one_pair_has_no_other_to_swap_with(watcher, album):
    study = Study.of(watcher, album, [METHODS["exact"]], count=1)
    with pytest.raises(UsageError, match="two pairs"):
        measure_faithfulness(study, swapped=study.methods)


def test_a_map_that_is_not_finite_is_refused(watcher, album):
    class Broken:
        name = label = "broken"
        grid, has_weights = "pixels", True

        def __call__(self, model, a, b):
            return Saliency(torch.full((len(a), 2, 2), torch.nan), torch.zeros(len(b), 2, 2))

    with pytest.raises(LookalikeError, match="broken: a map holds a number that is not finite"):
        measure_faithfulness(Study.of(watcher, album, [Broken()], count=2))
