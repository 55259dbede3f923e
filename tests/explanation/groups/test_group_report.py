import json
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from lookalike.backbones import Tiny
from lookalike.errors import ImageError, LookalikeError, UsageError
from lookalike.explanation import GroupNames
from lookalike.explanation.groups.group_files import group_sheets
from lookalike.explanation.groups.group_report import Viewing
from lookalike.explanation.groups.look import look_at_groups, sample_subjects, view_runs
from lookalike.explanation.groups.subject import Subject, frame, mapped
from lookalike.heads import Attentive
from lookalike.model import create_model
from lookalike.rendering.sheet_figure import draw_sheet


@pytest.fixture
def report(watcher, album):
    runs = view_runs({"one": watcher, "two $^$ <b>": watcher})
    viewing = Viewing(album, (Subject.of(album, 1), Subject.of(album, 4)), scale=0.5)
    return look_at_groups(runs, viewing)


def test_the_first_eight_groups_unless_others_are_asked_for(watcher):
    many = create_model(Tiny(channels=(1,)), head=Attentive(groups=512), dim=512)
    assert [view.groups for view in view_runs({"many": many, "few": watcher})] == [
        tuple(range(8)),
        (0, 1, 2),
    ]
    asked = view_runs({"many": many, "few": watcher}, [300, 2, 2, 0])
    assert [view.groups for view in asked] == [(300, 2, 0), (2, 0)]


@pytest.mark.parametrize(
    ("groups", "words"),
    [([3], "there is not group 3"), ([0, 99], "group 99: few has 0 to 2"), ([-1], "group -1")],
)
def test_groups_that_are_not_there(watcher, groups, words):
    with pytest.raises(UsageError, match=words):
        view_runs({"few": watcher}, groups)


def test_a_run_without_any_of_the_groups_is_named(watcher):
    many = create_model(Tiny(channels=(1,)), head=Attentive(groups=512), dim=512)
    with pytest.raises(UsageError, match="any of these groups in few: many has 0 to 511, few has"):
        view_runs({"many": many, "few": watcher}, [300])


def test_pictures_are_spread_over_the_catalog(album):
    stretches = [(0, 1), (2, 3), (4, 5)]
    places = [[album.path(i) for i in range(6)].index(s.path) for s in sample_subjects(album, 3)]
    assert all(place in stretch for place, stretch in zip(places, stretches, strict=True))
    assert len(sample_subjects(album, 99)) == 6
    assert sample_subjects(album.subset([]), 4) == ()
    drawn = {tuple(s.path for s in sample_subjects(album, 3, seed=seed)) for seed in range(8)}
    assert len(drawn) > 1


def test_numbers_are_those_of_the_figures(report, album):
    told = json.loads(report.to_json())
    assert [run["run"] for run in told["runs"]] == ["one", "two $^$ <b>"]
    first = told["runs"][0]
    assert (first["head"], first["maps"], first["groups_in_all"]) == ("attentive", "attention", 3)
    dark, even, _ = first["groups"]
    assert [(best["row"], best["class"], best["cell"]) for best in dark["strongest"]] == [
        (1, "a", [2, 3]),
        (3, "b", [2, 3]),
        (5, "c", [2, 3]),
    ]
    assert dark["strongest"][0]["path"] == str(album.path(1))
    assert [round(picture["weight"], 6) for picture in dark["pictures"]] == [1, 0.2]
    assert [shift["offsets"] for shift in dark["shifts"]] == [[0, 5, 10, 15, 20]] * 2
    assert even["mean_slope"] == pytest.approx(0, abs=1e-6)
    assert even["shifts"][0]["correlation"] is None
    slopes = [shift["slope"] for shift in dark["shifts"]]
    assert dark["mean_slope"] == pytest.approx(np.mean(slopes))
    assert slopes == pytest.approx([1, 1], abs=0.15)  # cells of 2.5 pixels, on a map of 5


def test_the_summary_has_a_line_a_group(report):
    lines = str(report).splitlines()
    assert lines[0].startswith("one (attentive head). Attention:")
    assert lines[1].startswith("  group 0    highest peak 100% in a; follows a shifted object with")
    assert len(lines) == 2 * 4


def test_all_runs_are_counted_in_the_progress(watcher, album):
    told = []
    viewing = Viewing(album, (Subject.of(album, 0),))
    runs = view_runs({"one": watcher, "two": watcher})
    look_at_groups(runs, viewing, progress=lambda done, of: told.append((done, of)))
    assert told == [(6, 12), (12, 12)]


def test_files_are_written_beside_what_is_there(report, tmp_path):
    runs = (report.runs[0], replace(report.runs[1], view=replace(report.runs[1].view, name="two")))
    report = replace(report, runs=runs)
    folder = tmp_path / "new" / "out"
    folder.mkdir(parents=True)
    (folder / "mine.txt").write_text("mine")
    (folder / "groups.html").write_text("old")
    told = []
    files = report.save(folder, progress=lambda done, of: told.append((done, of)))
    assert {path.name for path in files} == {
        "groups.html",
        "groups.json",
        "side-by-side.png",
        *(f"{what}-{run}.png" for what in ("strongest", "shift") for run in ("one", "two")),
    }
    assert {path.name for path in folder.iterdir()} == {path.name for path in files} | {"mine.txt"}
    assert json.loads((folder / "groups.json").read_text()) == json.loads(report.to_json())
    assert told[-1] == (7, 7)
    for path in files[2:]:
        with Image.open(path) as image:
            pixels = np.asarray(image.convert("RGB")).astype(int)
        assert ((pixels[..., 0] - pixels[..., 2]) > 100).any()  # warm somewhere


def test_a_folder_that_cannot_be_made(report, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(LookalikeError, match="cannot be written"):
        report.save(tmp_path / "file" / "out")


def test_the_page_stands_alone(report):
    page = report.to_html()
    assert "http" not in page
    assert "<b>" not in page.replace("<figcaption><b>", "")  # the name of a run is text
    assert page.count("<img") == page.count('src="data:image/jpeg;base64,')
    # Strongest: 3 + 3 + 3 a run; side by side: 2 × 4; shifted: 4 × 5.
    assert page.count("<img") == 2 * (9 + 8 + 20)
    assert 'alt="group 0, 100%, a"' in page


@pytest.mark.parametrize("name", ["strongest-one", "side-by-side", "shift-one"])
def test_nothing_overlaps_or_is_cut_off(report, name, assert_laid_out):
    assert_laid_out(draw_sheet(group_sheets(report)[name]))


def names(sheet):
    return tuple(column.name for column in sheet.rows[0].columns)


def test_subjects_are_abreast_where_groups_are_few(report):
    sheet = group_sheets(report)["side-by-side"]
    assert names(sheet) == ("picture", "group 0", "group 1", "group 2") * 2
    assert [row.notes[0] for row in sheet.rows] == ["one", "two $^$ <b>"]
    captions = [tile.words for tile in sheet.rows[0].tiles if tile.words]
    assert captions == ["a / 1.png", "b / 1.png"]


def test_the_network_sees_a_frame_at_any_resolution(watcher):
    p = watcher.preprocessing.model_copy(update={"fit": "crop"})
    wide = Image.new("RGB", (300, 100), "red")
    wide.paste("blue", (100, 0, 200, 100))
    seen = np.asarray(frame(wide, p, side=50)).astype(int)
    assert seen.shape == (50, 50, 3)
    assert (seen[:, 5:45, 2] > 240).all()


def test_a_ring_marks_the_peak():
    values = np.zeros((4, 4))
    values[1, 2] = 1
    picture = np.asarray(mapped(Image.new("RGB", (240, 240), "white"), values)).astype(int)
    black = np.argwhere((picture < 60).all(axis=2))
    assert black.mean(axis=0) == pytest.approx([89.5, 149.5], abs=1)  # of pixels 60–119, 120–179


def test_a_missing_picture_is_named_before_the_data_is_gone_through(watcher, album):
    told, runs = [], view_runs({"one": watcher})
    viewing = Viewing(album, (Subject(album.root / "none.png"),))
    with pytest.raises(ImageError, match=r"none\.png"):
        look_at_groups(runs, viewing, progress=lambda *done: told.append(done))
    assert told == []


def test_there_must_be_something_to_show(watcher, album):
    with pytest.raises(UsageError, match="no picture to show"):
        look_at_groups(view_runs({"one": watcher}), Viewing(album, ()))


def test_boxes_count_for_models_that_use_them(watcher, album):
    boxed = replace(album, boxes=np.array([[15.0, 10.0, 20.0, 15.0]] * 6))
    subject = Subject.of(boxed, 1)  # the one dark cell, and nothing else
    assert subject.read(watcher.preprocessing).size == (40, 40)
    used = watcher.preprocessing.model_copy(update={"use_boxes": True})
    assert subject.read(used).getcolors() == [(25, (0, 0, 0))]


def test_groups_are_called_by_their_names(watcher):
    (view,) = view_runs({"one": watcher}, [2, 0], names={"one": GroupNames(("ear", None, "tail"))})
    assert view.labels == ("tail (group 2)", "ear (group 0)")
