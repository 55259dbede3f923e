"""The measuring: what goes into a report, what is left out of it and why, and its worst cases."""

import json

import numpy as np
import pytest
import torch
from PIL import Image

from lookalike.data import Catalog, PartsSpec, write_parts
from lookalike.errors import LookalikeError, UsageError
from lookalike.explanation.measures import Curves, Faithfulness, Masking
from lookalike.explanation.report import (
    choose_methods,
    default_methods,
    measure_explanations,
    steps,
)
from lookalike.explanation.report.worst_cases import worst_cases
from lookalike.explanation.saliency import METHODS, Saliency
from lookalike.heads import Attentive, Single
from lookalike.model import Model, create_model
from lookalike.preprocessing import Preprocessing

SMALL = Preprocessing(size=32, fit="stretch")


def model_with(head) -> Model:
    torch.manual_seed(2)  # with these weights hiding a figure lowers the score
    return create_model("tiny", head=head, dim=8, preprocessing=SMALL).eval()


@pytest.fixture
def plain(tmp_path) -> Catalog:
    """Three classes of two pictures of noise, where no parts are known."""
    rng = np.random.default_rng(0)
    for label in "abc":
        (tmp_path / "plain" / label).mkdir(parents=True)
        for number in range(2):
            pixels = rng.integers(0, 255, (24, 30, 3), np.uint8)
            Image.fromarray(pixels).save(tmp_path / "plain" / label / f"{number}.png")
    return Catalog.from_folder(tmp_path / "plain")


@pytest.fixture(scope="module")
def parts(tmp_path_factory) -> Catalog:
    """Drawn figures: three classes of three."""
    folder = tmp_path_factory.mktemp("parts")
    return write_parts(folder, classes=3, images_per_class=3, seed=0, spec=PartsSpec(size=32))


def test_all_is_measured_where_parts_are_known_and_there_are_groups(parts):
    told = []
    report = measure_explanations(
        model_with(Attentive(groups=2)),
        parts,
        methods=("exact", "random"),
        pairs=4,
        progress=lambda done, total: told.append((done, total)),
    )
    assert report.methods == ("exact", "random")
    assert report.pairs == 4
    under = [(each.method, each.swapped, each.masking.fill) for each in report.faithfulness]
    assert set(under) == {
        (name, swapped, fill)
        for name, swapped in (("exact", False), ("random", False), ("exact", True))
        for fill in ("blur", "mean")
    }
    # A random map does not ask the model, so other weights make no difference to it.
    assert [each.method for each in report.randomisation] == ["exact"]
    assert [each.of for each in report.localisation] == ["exact", "random"]
    assert [each.peaks.of for each in report.groups] == ["attention", "tokens"]
    assert [each.of for each in report.diversity] == ["attention", "tokens"]
    assert [each.method for each in report.stability] == ["exact", "random"]
    assert [case.method for case in report.worst] == ["exact"] * 4
    assert report.left_out == ()
    total = told[-1][1]
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1] == (total, total)


def test_what_cannot_be_measured_is_left_out_and_said(plain):
    told = []
    report = measure_explanations(
        model_with(Single()),
        plain,
        methods=["exact"],
        pairs=99,
        progress=lambda *done: told.append(done),
    )
    assert report.pairs == 3  # all there are
    assert (report.localisation, report.groups, report.diversity) == ((), (), ())
    reasons = "\n".join(report.left_out)
    assert "localisation: " in reasons
    assert "no parts are known in these pictures" in reasons
    assert "parts under the groups' peaks: this head has one group alone" in reasons
    assert "diversity: this head has one group alone" in reasons
    assert all(
        reason in report.to_markdown() and reason in str(report) for reason in report.left_out
    )
    assert told[-1][0] == told[-1][1]


def test_a_fill_under_which_the_score_does_not_fall_is_left_out(plain, monkeypatch):
    def measured(model, catalog, methods, *, masking, **_):
        whole, blank = (1.0, 0.0) if masking.fill == "mean" else (0.0, 1.0)
        shares = np.array([0.0, 1.0])
        scores = np.array([[whole, blank]] * 2)
        deletion = Curves("deletion", shares, scores, scores, np.arange(2))
        insertion = Curves("insertion", shares, scores[:, ::-1], scores[:, ::-1], np.arange(2))
        pairs = ((0, 1), (2, 3))
        return (Faithfulness("exact", False, masking, pairs, deletion, insertion),)

    monkeypatch.setattr(steps, "faithfulness", measured)
    report = measure_explanations(model_with(Single()), plain, methods=["exact"], pairs=2)
    assert [each.masking.fill for each in report.faithfulness] == ["mean"]
    assert (
        "deletion and insertion, fill blur: hiding a whole picture changes the score by +1.000"
        in report.left_out[0]
    )
    assert len(report.worst) == 2


def test_one_pair_has_no_other_to_swap_with(plain):
    report = measure_explanations(model_with(Single()), plain, methods=["exact"], pairs=1)
    assert not any(each.swapped for each in report.faithfulness)


def test_the_usual_methods(graph_of):
    usual = ("exact", "grad_cam", "input_gradient", "random")
    assert default_methods(model_with(Single())) == usual
    assert default_methods(graph_of(-2, -1)) == ("exact", "shared", *usual[1:])


def test_methods_are_chosen_by_name_or_given():
    class Own:
        name = label = "own"
        grid, has_weights = "pixels", True

        def __call__(self, model, a, b):
            return Saliency.of(a.mean(dim=1), b.mean(dim=1))

    own = Own()
    assert choose_methods(["random", own]) == (METHODS["random"], own)


@pytest.mark.parametrize(
    ("methods", "words"),
    [
        (["exakt"], "there is no method 'exakt'; there are exact, "),
        ([], "there is no method to measure; there are exact"),
        (["exact", "exact"], "'exact' is asked for twice"),
    ],
)
def test_methods_that_cannot_be_measured(methods, words):
    with pytest.raises(UsageError, match=words):
        choose_methods(methods)


def test_without_a_pair_nothing_is_measured(plain):
    one_each = plain.subset([0, 2, 4])
    with pytest.raises(UsageError, match="no class has two pictures"):
        measure_explanations(model_with(Single()), one_each)
    with pytest.raises(UsageError, match="0 pairs: ask for at least one"):
        measure_explanations(model_with(Single()), plain, pairs=0)


def test_the_worst_case_is_the_one_whose_score_falls_last(plain):
    """Shares in the area by hand: of the slow pair 0.5 + 0.45 / 2 · 2, of the fast 0.5 − 0.45."""
    shares = np.array([0.0, 0.5, 1.0])
    random = np.array([[1.0, 0.5, 0.0]] * 3)
    scores = np.array([[1.0, 0.05, 0.0], [1.0, 0.95, 0.0], [1.0, 0.5, 0.0]])
    curves = Curves("deletion", shares, scores, random, np.arange(3))
    pairs = ((0, 1), (2, 3), (4, 5))
    measured = Faithfulness("exact", False, Masking(), pairs, curves, curves)
    model = model_with(Single())
    cases = worst_cases(model, plain, METHODS["exact"], measured, count=2)
    assert [case.label for case in cases] == ["b", "c"]
    # Each of the two steps has half of R's fall, and its middle is half of the difference.
    assert [case.area for case in cases] == [pytest.approx(0.725), pytest.approx(0.5)]
    assert [picture.name for picture in cases[0].pictures] == ["b/0.png", "b/1.png"]
    assert cases[0].scores.tolist() == [1.0, 0.95, 0.0]
    a, b = plain.path(2), plain.path(3)
    score = float(model.similarity.pairs(model.embed([a]), model.embed([b])))
    assert cases[0].maps[0].sum() == pytest.approx(score, abs=1e-5)
    assert cases[0].pictures[0].geometry.width == 30


def test_the_report_is_saved_as_a_page_numbers_and_tables(plain, tmp_path):
    report = measure_explanations(model_with(Single()), plain, methods=["exact"], pairs=2)
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
    assert read["faithfulness"][0]["deletion"]["area"]["mean"] == pytest.approx(
        report.faithfulness[0].deletion.area.mean
    )
    assert read["worst"][0]["pictures"] == [p.name for p in report.worst[0].pictures]
    (tmp_path / "file").write_text("")
    with pytest.raises(LookalikeError, match="cannot be written"):
        report.save(tmp_path / "file" / "below")


def test_the_same_seed_measures_the_same(plain):
    first, again, other = (
        measure_explanations(model_with(Single()), plain, methods=["random"], pairs=2, seed=seed)
        for seed in (3, 3, 4)
    )
    assert first.to_json() == again.to_json()
    assert first.to_json() != other.to_json()
