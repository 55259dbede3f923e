"""Measuring: what a report holds, what is left out of it and why, and a measure of one's own."""

import json
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from PIL import Image

from lookalike.data import Catalog, PartsSpec, write_parts
from lookalike.errors import LookalikeError, UsageError
from lookalike.explanation.measures import (
    MEASURES,
    Curves,
    Faithfulness,
    Masking,
    Measure,
    Outcome,
    Study,
    faithfulness,
    measure_worst,
)
from lookalike.explanation.report import measure_explanations
from lookalike.explanation.saliency import METHODS, Saliency
from lookalike.heads import Attentive, Single
from lookalike.model import Model, create_model
from lookalike.preprocessing import Preprocessing
from lookalike.rendering.tables import Table, TableColumn

SMALL = Preprocessing(size=32, fit="stretch")


def model_with(head) -> Model:
    torch.manual_seed(2)  # with these weights hiding a figure lowers the score
    return create_model("tiny", head=head, dim=8, preprocessing=SMALL).eval()


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> Catalog:
    """Three classes of two pictures of noise, where no object parts are known."""
    folder = tmp_path_factory.mktemp("plain")
    rng = np.random.default_rng(0)
    for label in "abc":
        (folder / label).mkdir()
        for number in range(2):
            pixels = rng.integers(0, 255, (24, 30, 3), np.uint8)
            Image.fromarray(pixels).save(folder / label / f"{number}.png")
    return Catalog.from_folder(folder)


@pytest.fixture(scope="module")
def single() -> Model:
    return model_with(Single())


@pytest.fixture(scope="module")
def measured_plain(single, plain):
    """The report on what can be measured of one group on pictures without object parts."""
    steps = []
    report = measure_explanations(
        single, plain, methods=["exact"], pairs=99, progress=lambda *done: steps.append(done)
    )
    return report, steps


@pytest.fixture
def no_others():
    """Of all measures only those that a test asks for are run."""
    every = dict(MEASURES)

    def only(*keys):
        for key in set(every) - set(keys):
            del MEASURES[key]

    yield only
    MEASURES.clear()
    MEASURES.update(every)  # in their order


def test_everything_is_measured_where_object_parts_are_known_and_there_are_groups(
    tmp_path,
):
    parts = write_parts(tmp_path, classes=3, images_per_class=3, seed=0, spec=PartsSpec(size=32))
    steps = []
    report = measure_explanations(
        model_with(Attentive(groups=2)),
        parts,
        methods=("exact", "random"),
        pairs=4,
        progress=lambda done, total: steps.append((done, total)),
    )
    assert report.methods == ("exact", "random")
    assert report.pairs == 4
    assert set(report.results) == set(MEASURES)
    found = report.results
    assert {(e.method, e.swapped, e.masking.fill) for e in found["faithfulness"]} == {
        (name, swapped, fill)
        for name, swapped in (("exact", False), ("random", False), ("exact", True))
        for fill in ("blur", "mean")
    }
    # A random map does not depend on the model, so other weights make no difference to it.
    assert [each.method for each in found["randomisation"]] == ["exact"]
    assert [each.of for each in found["localisation"]] == ["exact", "random"]
    assert [each.peaks.of for each in found["groups"]] == ["attention", "tokens"]
    assert [each.of for each in found["diversity"]] == ["attention", "tokens"]
    assert [each.method for each in found["stability"]] == ["exact", "random"]
    assert [pair.method for pair in found["worst"]] == ["exact"] * 4
    assert report.left_out == ()
    total = steps[-1][1]
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)
    assert steps[-1] == (total, total)


def test_what_cannot_be_measured_is_left_out_and_said(measured_plain):
    report, steps = measured_plain
    assert report.pairs == 3  # all there are
    assert not any(report.results[key] for key in ("localisation", "groups", "diversity"))
    reasons = "\n".join(report.left_out)
    assert "localisation: " in reasons
    assert "no parts are known in these pictures" in reasons
    assert "parts under the groups' peaks: this head has one group alone" in reasons
    assert "diversity: this head has one group alone" in reasons
    for reason in report.left_out:
        assert reason in report.to_markdown()
        assert reason in str(report)
    assert steps[-1][0] == steps[-1][1]


def test_a_fill_under_which_the_score_does_not_fall_is_left_out(
    single, plain, monkeypatch, no_others
):
    def measured(study, *, masking, swapped):
        whole, blank = (1.0, 0.0) if masking.fill == "mean" else (0.0, 1.0)
        shares = np.array([0.0, 1.0])
        scores = np.array([[whole, blank]] * 2)
        deletion = Curves("deletion", shares, scores, scores, np.arange(2))
        insertion = Curves("insertion", shares, scores[:, ::-1], scores[:, ::-1], np.arange(2))
        pairs = ((0, 1), (2, 3))
        return (Faithfulness("exact", False, masking, pairs, deletion, insertion),)

    monkeypatch.setattr(faithfulness, "measure_faithfulness", measured)
    no_others("faithfulness", "worst")
    report = measure_explanations(single, plain, methods=["exact"], pairs=2)
    assert [each.masking.fill for each in report.results["faithfulness"]] == ["mean"]
    assert (
        "deletion and insertion, fill blur: hiding a whole picture changes the score by +1.000"
        in report.left_out[0]
    )
    assert len(report.results["worst"]) == 2


def test_one_pair_has_no_other_to_swap_with(single, plain, no_others):
    no_others("faithfulness")
    report = measure_explanations(single, plain, methods=["exact"], pairs=1)
    assert not any(each.swapped for each in report.results["faithfulness"])


def test_without_a_pair_nothing_is_measured(single, plain):
    with pytest.raises(UsageError, match="no class has two pictures"):
        measure_explanations(single, plain.subset([0, 2, 4]))
    with pytest.raises(UsageError, match="0 pairs: ask for at least one"):
        measure_explanations(single, plain, pairs=0)


def test_the_worst_pair_is_the_one_whose_score_falls_last(single, plain):
    """Shares in the area by hand: of the slow pair 0.5 + 0.45 / 2 · 2, of the fast 0.5 − 0.45."""
    shares = np.array([0.0, 0.5, 1.0])
    random = np.array([[1.0, 0.5, 0.0]] * 3)
    scores = np.array([[1.0, 0.05, 0.0], [1.0, 0.95, 0.0], [1.0, 0.5, 0.0]])
    curves = Curves("deletion", shares, scores, random, np.arange(3))
    pairs = ((0, 1), (2, 3), (4, 5))
    measured = Faithfulness("exact", False, Masking(), pairs, curves, curves)
    worst = measure_worst(Study.of(single, plain, [METHODS["exact"]]), measured, count=2)
    assert [pair.label for pair in worst] == ["b", "c"]
    # Each of the two steps has half of R's fall, and its middle is half of the difference.
    assert [pair.area for pair in worst] == [pytest.approx(0.725), pytest.approx(0.5)]
    assert [picture.name for picture in worst[0].pictures] == ["b/0.png", "b/1.png"]
    assert worst[0].scores.tolist() == [1.0, 0.95, 0.0]
    a, b = plain.path(2), plain.path(3)
    score = float(single.similarity.pairs(single.embed([a]), single.embed([b])))
    assert worst[0].maps[0].sum() == pytest.approx(score, abs=1e-5)
    assert worst[0].pictures[0].geometry.width == 30


def test_the_report_is_saved_as_a_page_numbers_and_tables(measured_plain, tmp_path):
    report, _ = measured_plain
    folder = tmp_path / "deep" / "down"
    files = report.save(folder)
    assert [file.name for file in files] == [
        "explanations.html",
        "explanations.json",
        "explanations.md",
    ]
    assert sorted(folder.iterdir()) == sorted(files)
    read = json.loads(files[1].read_text())
    assert read["methods"] == ["exact"]
    assert set(MEASURES) < set(read)
    area = read["faithfulness"][0]["deletion"]["area"]["mean"]
    assert area == pytest.approx(report.results["faithfulness"][0].deletion.area.mean)
    assert report.numbers()["deletion_exact"] == pytest.approx(area)
    pictures = report.results["worst"][0].pictures
    assert read["worst"][0]["pictures"] == [picture.name for picture in pictures]
    (tmp_path / "file").write_text("")
    with pytest.raises(LookalikeError, match="cannot be written"):
        report.save(tmp_path / "file" / "below")


def test_the_same_seed_measures_the_same(single, plain, no_others):
    no_others("faithfulness", "stability")
    first, again, other = (
        measure_explanations(single, plain, methods=["random"], pairs=2, seed=seed)
        for seed in (3, 3, 4)
    )
    assert first.to_json() == again.to_json()
    assert first.to_json() != other.to_json()


@dataclass(frozen=True)
class Peak:
    """The highest value of a method's map over the first picture."""

    method: str
    value: float

    def as_dict(self):
        return {"method": self.method, "value": self.value}


class Highest(Measure[Peak]):
    """A measure of one's own: the highest value of maps."""

    key, label, meaning = "highest", "highest value", "The highest value of a map."

    def run(self, study, progress=None):
        picture = torch.zeros(1, 3, SMALL.size, SMALL.size)
        maps = {each.name: each(study.model, picture, picture).a for each in study.methods}
        return Outcome(tuple(Peak(name, float(values.max())) for name, values in maps.items()))

    def tables(self, results):
        columns = (TableColumn("map", align="left"), TableColumn("highest"))
        rows = tuple((each.method, f"{each.value:.1f}") for each in results)
        return (Table("Highest values", columns, rows),)


class Seven:
    """A method of one's own: every map is 7 everywhere."""

    name, label, grid, has_weights = "seven", "always seven", "pixels", False

    def __call__(self, model, a, b):
        return Saliency.of(torch.full((len(a), 4, 4), 7.0), torch.full((len(b), 4, 4), 7.0))


def test_a_measure_and_a_method_of_one_s_own_are_in_the_report(
    single, plain, monkeypatch, no_others
):
    no_others("stability")
    monkeypatch.setitem(MEASURES, "highest", Highest())
    monkeypatch.setitem(METHODS, "seven", Seven())
    report = measure_explanations(single, plain, methods=["seven", "exact"], pairs=2)
    assert report.to_dict()["highest"][0] == {"method": "seven", "value": 7.0}
    assert "## Highest values" in report.to_markdown()
    assert "| seven | 7.0 |" in report.to_markdown()
    assert "Highest values" in report.to_html()
    assert "| always seven | – in place 1.000 |" not in report.to_markdown()
    assert "| always seven |" in report.to_markdown()  # in the table of stability
