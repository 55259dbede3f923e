"""Masks of an ensemble: which channels are shown, what their colours mean, where they come out."""

import json

import numpy as np
import pytest
import torch

from lookalike.backbones import Tiny
from lookalike.errors import UsageError
from lookalike.explanation.groups.group_files import group_sheets
from lookalike.explanation.groups.group_report import Viewing
from lookalike.explanation.groups.look import look_at_groups, view_runs
from lookalike.explanation.groups.maps import group_maps
from lookalike.explanation.groups.masks import look_at_masks
from lookalike.explanation.groups.subject import Subject
from lookalike.heads import Ensemble, MultiHead
from lookalike.model import create_model
from lookalike.preprocessing import Preprocessing
from lookalike.rendering.sheet_figure import draw_sheet


@pytest.fixture
def ensemble():
    """Three learners on a map of 5 channels and 8 × 8 cells."""
    torch.manual_seed(0)
    return create_model(
        Tiny(channels=(5, 6)),
        head=Ensemble(groups=3, branch=-1),
        dim=6,
        preprocessing=Preprocessing(size=16, fit="stretch"),
    )


@pytest.fixture
def images():
    return torch.randn(2, 3, 16, 16, generator=torch.Generator().manual_seed(1))


def given(model, masks):
    """Make a model whose masks are these, whatever it is shown."""
    masks = torch.as_tensor(masks, dtype=torch.float32)
    model.head._masks = lambda x: masks.expand(len(x), -1, -1, -1, -1)
    return model


def test_masks_are_those_of_the_head(ensemble, images):
    found = look_at_masks(ensemble, images, groups=[2, 0], channels=[4, 1, 4])
    ensemble.eval()
    with torch.no_grad():
        masks = ensemble.head.breakdown(ensemble.features(images)).masks.double().numpy()
    assert (found.channels, found.channels_in_all) == ((4, 1), 5)
    np.testing.assert_allclose(found.means, masks[:, [2, 0]].mean(axis=2), rtol=1e-5)
    np.testing.assert_allclose(found.single, masks[:, [2, 0]][:, :, [4, 1]], rtol=1e-6)


def test_channels_that_learners_open_in_different_places_are_shown(ensemble, images):
    """By the variance over learners, position by position: 2, then 0, then 4.

    Channel 1 varies from place to place in all learners alike, and channel 3 from learner to
    learner but nowhere over a picture.
    """
    masks = np.full((2, 3, 5, 8, 8), 0.5)
    masks[:, 0, 2, :4], masks[:, 1, 2, 4:] = 0.9, 0.9
    masks[0, 1, 0, :4], masks[1, 2, 0, :4] = 0.9, 0.9  # another learner in each picture
    masks[:, :, 1, :4] = 0.01
    masks[:, 0, 3], masks[:, 1, 3] = 0.25, 0.75
    masks[1, 2, 4, :4] = 0.6
    found = look_at_masks(given(ensemble, masks), images, groups=range(3))
    assert found.channels == (2, 0, 4)
    # With the first two learners alone: channel 2, then 0 in one picture, then the first of equals.
    assert look_at_masks(ensemble, images, groups=[0, 1]).channels == (2, 0, 1)
    assert look_at_masks(ensemble, images, groups=[0]).channels == (0, 1, 2)


def test_there_may_be_no_masks_and_no_such_channel(ensemble, images):
    heads = create_model(Tiny(channels=(5, 6)), head=MultiHead(groups=2, branch=-1), dim=6)
    assert look_at_masks(heads, images, groups=[0]) is None
    with pytest.raises(UsageError, match="no channel 5: the masks have 0 to 4"):
        look_at_masks(ensemble, images, groups=[0], channels=[0, 5])
    with pytest.raises(UsageError, match="no channel -1"):
        look_at_masks(ensemble, images, groups=[0], channels=[-1])


@pytest.fixture
def report(ensemble, watcher, album):
    """A run with masks near a half, and one without masks; the masks are those of any picture.

    Channel 3 is 0.5, 0.3, and 0.4 above 0.55; the mean of the last over channels is 0.48 and 0.51.
    """
    mask = torch.full((1, 3, 5, 8, 8), 0.5)
    mask[:, 1, 3] = 0.3
    mask[:, 2, 3, :4], mask[:, 2, 3, 4:] = 0.4, 0.55
    given(ensemble, mask)
    subjects = tuple(Subject.of(album, row) for row in (1, 4, 5))
    viewing = Viewing(album.subset([0, 1]), subjects, channels=(3, 0))
    return look_at_groups(view_runs({"ens": ensemble, "att": watcher}), viewing)


def test_only_runs_with_masks_have_a_sheet_of_them(report):
    names = list(group_sheets(report))
    assert "masks-ens" in names
    assert "masks-att" not in names
    assert names.index("side-by-side") < names.index("masks-ens") < names.index("shift-ens")


def test_a_row_for_each_learner_and_two_pictures_abreast(report):
    sheet = group_sheets(report)["masks-ens"]
    assert names(sheet) == ("picture", "mean, 0 to 1", "mean", "channel 3", "channel 0") * 2
    assert [row.name for row in sheet.rows] == ["learner 0", "learner 1", "learner 2"] * 2
    first, second = sheet.rows[:2]
    assert [tile.words for tile in first.tiles if tile and tile.words] == ["a / 1.png", "b / 1.png"]
    assert (second.tiles[0], second.tiles[5]) == (None, None)  # the picture stands above
    assert [tile.number for tile in second.tiles[1:5]] == ["0.46", "", "0.30", "0.50"]
    assert len(sheet.rows[3].tiles) == 5  # the third picture has the place to itself


def names(sheet):
    return tuple(column.name for column in sheet.rows[0].columns)


def redness(tile) -> float:
    """How much of the strongest colour there is in the middle of a picture."""
    pixels = np.asarray(tile.picture).astype(float)[100:110, 60:70]
    return float((pixels[..., 0] - pixels[..., 2]).mean())


def test_colours_are_absolute_and_stretched(report):
    first, second, third = (row.tiles for row in group_sheets(report)["masks-ens"].rows[:3])
    # From 0 to 1, masks near a half look all alike; stretched, the lowest is clear.
    assert redness(first[1]) == pytest.approx(redness(second[1]), abs=6)
    assert redness(first[1]) > 40
    assert redness(second[2]) == pytest.approx(0, abs=1)
    assert redness(second[3]) == pytest.approx(0, abs=1)
    assert redness(first[3]) > redness(third[3]) > 40  # 0.5 and 0.4 from 0.3 to 0.55
    # A channel that is the same everywhere is at its lowest everywhere.
    assert redness(first[4]) == pytest.approx(0, abs=1)
    (_, stated) = group_sheets(report)["masks-ens"].notes
    assert "mean 0.460 to 0.510; channel 3 0.300 to 0.550; channel 0 0.500 to 0.500" in stated


def test_numbers_of_masks(report):
    ens, att = json.loads(report.to_json())["runs"]
    assert att["masks"] is None
    masks = ens["masks"]
    assert (masks["channels"], masks["channels_in_all"]) == ([3, 0], 5)
    assert masks["ranges"] == [
        pytest.approx([0.46, 0.51]),
        pytest.approx([0.3, 0.55]),
        pytest.approx([0.5, 0.5]),
    ]
    assert masks["means"] == [pytest.approx([0.5, 0.46, 0.495])] * 3
    assert masks["channel_means"][2][2] == pytest.approx([0.475, 0.5])
    assert "mean over channels 0.460 to 0.510; shown one by one: 3, 0 of 5 channels" in str(report)


def test_the_page_says_what_the_ends_of_each_scale_are(report):
    page = report.to_html()
    assert page.count("0, or the column&#39;s lowest<span class=") == 1
    assert page.count(">0<span class=") == 5
    assert page.count("ens: what each learner&#39;s mask lets through") == 1


def test_nothing_on_the_sheet_overlaps_or_is_cut_off(report, assert_laid_out):
    assert_laid_out(draw_sheet(group_sheets(report)["masks-ens"]))


def test_maps_of_masks_are_measured_from_the_lowest(report, ensemble):
    images = torch.zeros(1, 3, 16, 16)
    maps, kind = group_maps(ensemble, images)
    assert kind.name == "mask"
    # The first learner's mask is even: every position is alike.
    assert maps[0, 0].flatten().tolist() == pytest.approx([1 / 64] * 64)
    assert maps[0, 2, :4].abs().max() < 1e-6
    assert maps[0, 2, 4:].flatten().tolist() == pytest.approx([1 / 32] * 32)


def test_channels_are_for_runs_with_masks(report, watcher, album):
    subject = (Subject.of(album, 1),)
    with pytest.raises(UsageError, match="no run has any"):
        look_at_groups(view_runs({"att": watcher}), Viewing(album, subject, channels=(0,)))
    told = []
    runs = view_runs({"att": watcher, "ens": report.runs[0].view.model})
    with pytest.raises(UsageError, match="ens: there is no channel 9"):
        look_at_groups(
            runs,
            Viewing(album, subject, channels=(9,)),
            progress=lambda *done: told.append(done),
        )
    assert told == []  # before the data are gone through
