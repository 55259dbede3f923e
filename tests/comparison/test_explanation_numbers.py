"""What a comparison measures of explanations: names, tables, sentences, and what is not there."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from lookalike.comparison import (
    Comparison,
    ComparisonReport,
    Measurand,
    to_html,
    to_markdown,
    to_text,
)
from lookalike.comparison.comparison_tables import columns, explanation_tables
from lookalike.comparison.explanation_numbers import (
    explanation_numbers,
    is_of_explanations,
    lacks_explanations,
    with_explanations,
)
from lookalike.comparison.verdict import explanation_sentences
from lookalike.data import Catalog, PartsSpec, write_parts
from lookalike.explanation.measures import (
    MEASURES,
    Measure,
    Outcome,
    Quantity,
    Study,
    describe_groups,
    measure_diversity,
    measure_faithfulness,
    measure_localisation,
    measure_randomisation,
    measure_stability,
    peak_parts,
)
from lookalike.explanation.saliency import METHODS
from lookalike.heads import Attentive, Levels
from lookalike.model import Model, create_model
from lookalike.preprocessing import Preprocessing
from lookalike.recipes import EvaluationConfig
from lookalike.rendering.tables import TableCell
from lookalike.similarity import Graph

OF_MAPS = {
    f"{kind}_{method}"
    for kind in ("deletion", "insertion", "random_weights", "shift", "flip", "scale", "noise")
    for method in ("exact", "grad_cam")
} | {"deletion_exact_of_another_pair", "insertion_exact_of_another_pair"}
DIVERSITY = {"group_map_cosine", "group_map_overlap", "group_vector_cosine"}


@pytest.fixture(scope="module")
def model() -> Model:
    torch.manual_seed(2)  # with these weights hiding a figure lowers the score
    preprocessing = Preprocessing(size=32, fit="stretch")
    return create_model("tiny", head=Attentive(groups=2), dim=8, preprocessing=preprocessing)


@pytest.fixture(scope="module")
def parts(tmp_path_factory) -> Catalog:
    folder = tmp_path_factory.mktemp("parts")
    return write_parts(folder, classes=3, images_per_class=2, seed=0, spec=PartsSpec(size=32))


@pytest.fixture
def measured(make_row):
    """Return a function that measures the explanations of a run of which nothing else is known."""

    def measure(model: Model, catalog: Catalog, *, pairs: int, seed: int = 0) -> dict[str, float]:
        run = Measurand(model, catalog, EvaluationConfig(), seed)
        return dict(with_explanations(make_row("a", measures={}), run, pairs=pairs).measures)

    return measure


def test_every_number_is_the_measure_of_its_name(model, parts, measured):
    found = measured(model, parts, pairs=3, seed=1)
    assert found.pop("explanation_pairs") == 3
    assert all(map(is_of_explanations, found))
    exact, grad_cam = (METHODS[name] for name in ("exact", "grad_cam"))
    both, first, second = (
        Study.of(model, parts, methods, count=3, seed=1)
        for methods in ([exact, grad_cam], [exact], [grad_cam])
    )
    own, other, swapped = measure_faithfulness(both, swapped=[exact])
    assert found["deletion_exact"] == own.deletion.area.mean
    assert found["insertion_grad_cam"] == other.insertion.area.mean
    assert found["deletion_exact_of_another_pair"] == swapped.deletion.area.mean
    (where,) = measure_localisation(second)
    assert found["pointing_grad_cam"] == where.whole.peaks.mean
    assert found["mass_grad_cam"] == where.whole.mass.mean
    (control,) = measure_randomisation(first)
    assert found["random_weights_exact"] == control.correlations.interval.mean
    (steady,) = measure_stability(first)
    flip = next(each for each in steady.responses if each.change == "flip")
    assert found["flip_exact"] == flip.followed.interval.mean
    (peaks,) = peak_parts(model, parts, maps=("tokens",))
    groups = describe_groups(peaks)
    assert found["group_purity"] == pytest.approx(groups.purity.mean())
    assert found["group_other_class"] == pytest.approx(groups.other_class.mean())
    (diversity,) = measure_diversity(model, parts, maps=("tokens",))
    assert found["group_vector_cosine"] == pytest.approx(diversity.vector_cosine.mean)


def test_of_a_graph_also_what_pictures_share(parts, measured):
    torch.manual_seed(0)
    graph = create_model(
        "tiny",
        head=Levels(stages=(-2, -1)),
        dim=8,
        similarity=Graph(k=4),
        preprocessing=Preprocessing(size=32, fit="stretch"),
    )
    with torch.no_grad():
        graph.similarity.observe(graph.train()(torch.randn(4, 3, 32, 32)))
        graph.similarity.settle()
    found = measured(graph, parts, pairs=2)
    assert {"deletion_shared", "insertion_shared", "pointing_shared"} <= set(found)
    assert all(map(is_of_explanations, found))


def test_nothing_points_where_no_parts_are_known(model, noise, measured):
    plain = noise.subset([0, 1, 4, 5])
    assert set(measured(model, plain, pairs=2)) == OF_MAPS | DIVERSITY | {"explanation_pairs"}


def test_a_row_gets_them_in_place_of_earlier_ones(model, parts, make_row):
    run = Measurand(model, parts, EvaluationConfig(), 1)
    old = make_row("a", measures={"recall_at_1": 0.5, "deletion_shared": 0.1})
    assert lacks_explanations(old, 2)
    row = with_explanations(old, run, pairs=2)
    assert not lacks_explanations(row, 2)
    assert lacks_explanations(row, 3)
    assert row.measures["recall_at_1"] == 0.5
    assert "deletion_shared" not in row.measures
    assert "deletion_exact" in row.measures


def test_tables_by_measure_with_the_lowest_area_best(explained_runs):
    faithful, control, groups = explanation_tables(explained_runs)
    assert faithful.title == "Explanations: faithfulness"
    assert [c.label for c in faithful.columns[2:]] == [
        "deletion, exact",
        "deletion, Grad-CAM",
        "deletion, exact, another pair's",
    ]
    by_name = {row[0].text: row[2:] for row in faithful.cells}
    control_of_b, control_of_c = (TableCell(mean, "± 0.020") for mean in ("0.120", "0.320"))
    assert by_name["b"] == (
        TableCell("0.120", "± 0.020", "best"),
        TableCell("0.400", "± 0.020"),
        control_of_b,  # the lowest, and not the best: it is a control
    )
    assert by_name["c"] == (
        TableCell("0.320", "± 0.020"),
        TableCell("0.200", "± 0.020", "best"),
        control_of_c,
    )
    assert {row[2] for row in control.cells} == {TableCell("−0.100", "± 0.000")}
    assert [row[2].text for row in groups.cells] == ["1.020", "0.620", "–"]
    assert groups.cells[0][2].mark == "best"
    assert [line.partition(":")[0] for line in groups.notes[1:]] == ["Purity"]
    assert [line.partition(":")[0] for line in faithful.notes[1:]] == ["Deletion"]


def test_the_first_table_has_no_numbers_on_explanations(explained_runs):
    keys = {column.key for column in columns(explained_runs)}
    assert keys == {"recall_at_1", "parameters", "flops", "milliseconds_per_image", "seconds"}


def test_sentences_hold_exact_maps_against_grad_cam(explained_runs):
    (said,) = explanation_sentences(explained_runs)
    assert said == (
        "By deletion, less is better, exact maps against Grad-CAM's: better in b (0.120 against "
        "0.400); not told apart in a (0.520 against 0.510); worse in c (0.320 against 0.200)."
    )
    one = replace(explained_runs, rows=explained_runs.rows[3:4])
    (said,) = explanation_sentences(one)
    assert said.endswith("better (one seed) in b (0.100 against 0.380).")


def test_they_stand_in_text_markdown_and_page(explained_runs):
    report = ComparisonReport(explained_runs, title="Three", command="lookalike compare")
    text = to_text(report)
    assert text.index("\n\nExplanations: faithfulness\n") < text.index("\n* best of its column")
    assert "random weights" not in text  # neither high nor low is best
    markdown = to_markdown(report)
    head = "## Explanations: faithfulness\n\n| variant | seeds | deletion, exact | deletion, Grad"
    assert head in markdown
    assert "| b | 3 | **0.120** ± 0.020 | 0.400 ± 0.020 | 0.120 ± 0.020 |" in markdown
    assert "- Deletion: area under the score of same-class pairs" in markdown
    page = to_html(report)
    assert [f"<h3>{table.title}</h3>" in page for table in report.tables] == [True] * 3


def test_without_explanations_there_is_nothing_of_them(comparison):
    report = ComparisonReport(comparison, title="Four", command="lookalike compare")
    assert report.tables == ()
    assert explanation_sentences(report.comparison) == []
    assert "explanations" not in to_html(report)


class Brightness(Measure[float]):
    """A toy measure."""

    key, label, meaning = "brightness", "brightness", "Toy."
    heading, reading = "Explanations: brightness", "Toy."
    quantities = (Quantity("bright", "bright", "how bright maps are", headline=True, chance=0.1),)

    def run(self, study, progress=None):
        return Outcome()


def test_a_measure_and_a_method_that_are_added_appear_in_a_comparison(monkeypatch, make_row):
    monkeypatch.setattr("lookalike.comparison.explanation_numbers.MEASURES", {"b": Brightness()})
    toy = SimpleNamespace(name="toy", label="Toy method")
    monkeypatch.setitem(METHODS, "toy", toy)
    keys = ("recall_at_1", "bright_exact", "bright_grad_cam", "bright_toy")
    values = {"a": (0.5, 0.3, 0.2, 0.1), "b": (0.4, 0.3, 0.2, 0.2)}
    rows = tuple(
        make_row(name, measures=dict(zip(keys, own, strict=True))) for name, own in values.items()
    )
    report = ComparisonReport(Comparison(rows, (), 0), title="T", command="c")
    (table,) = report.tables
    assert table.title == "Explanations: brightness"
    labels = ["bright, exact", "bright, Grad-CAM", "bright, Toy method"]
    assert [column.label for column in table.columns[2:]] == labels
    assert table.cells[1][4].mark == "best"
    assert table.notes == ("Toy.", "Bright: how bright maps are.")
    assert any(said.startswith("By bright, more is better") for said in report.verdict)
    assert "bright, more is better" in to_html(report)


def test_a_method_that_was_asked_for_is_measured(model, parts, make_row):
    run = Measurand(model, parts, EvaluationConfig(), 1)
    row = make_row("a", measures={"recall_at_1": 0.5})
    row = with_explanations(row, run, pairs=2, methods=["random", "exact"])
    assert {"deletion_random", "deletion_exact"} <= set(row.measures)
    assert "deletion_grad_cam" not in row.measures
    assert not lacks_explanations(row, 2, ["random"])
    assert lacks_explanations(row, 2, ["grad_cam"])


def test_every_number_of_every_measure_has_a_place_in_a_table():
    quantities = [(m, q) for m in MEASURES.values() for q in m.quantities]
    assert quantities
    for measure, quantity in quantities:
        key = f"{quantity.key}_exact" if measure.of_methods else quantity.key
        ((title, (metrics, _)),) = explanation_numbers([key, "recall_at_1"]).items()
        assert (title, [metric.key for metric in metrics]) == (measure.heading, [key])
