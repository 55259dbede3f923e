import json
from dataclasses import replace

import pytest
import torch

from lookalike.backbones import Tiny
from lookalike.comparison import (
    Comparison,
    ComparisonReport,
    Measurand,
    Row,
    write_results,
)
from lookalike.comparison.measures import measures_for, part_information
from lookalike.comparison.results import renamed, to_json
from lookalike.data import Catalog, PartsSpec, demo_catalog, has_masks, write_parts
from lookalike.explanation.measures import peak_parts
from lookalike.heads import Attentive, Single
from lookalike.model import create_model
from lookalike.preprocessing import Preprocessing
from lookalike.recipes import EvaluationConfig
from lookalike.statistics.information import mutual_information


def test_json_is_a_list_of_rows_that_can_be_read_again(comparison):
    rows = json.loads(to_json(comparison))
    assert isinstance(rows, list)
    assert [(row["variant"], row["seed"]) for row in rows[:4]] == [
        ("single-binomial", 0),
        ("single-binomial", 1),
        ("single-binomial", 2),
        ("single-margin", 0),
    ]
    assert rows[0]["recall_at_1"] == 0.38
    assert (rows[0]["head"], rows[0]["loss"], rows[0]["backbone"]) == ("single", "binomial", "tiny")
    assert tuple(Row.from_dict(row) for row in rows) == comparison.rows


def test_series_and_what_was_varied_are_written_and_read(make_row, tmp_path):
    row = make_row(
        "a",
        measures={"recall_at_1": 0.5},
        series={"recall_at_1_of_learners": (0.25, 0.5), "self_pair_cosine_counts": (3, 0)},
        varied={"model.head.groups": "2"},
    )
    row.save(tmp_path)
    plain = json.loads((tmp_path / "row.json").read_text())
    assert plain["recall_at_1_of_learners"] == [0.25, 0.5]
    assert plain["self_pair_cosine_counts"] == [3, 0]
    assert plain["varied"] == {"model.head.groups": "2"}
    assert Row.load(tmp_path) == row
    assert json.loads(to_json(Comparison((row,), (), 0))) == [plain]


def test_a_row_from_before_there_were_series_can_be_read(make_row):
    row = make_row("a", measures={"recall_at_1": 0.5})
    plain = row.to_dict()
    del plain["varied"]
    assert Row.from_dict(plain) == row


def test_files(comparison, tmp_path):
    report = ComparisonReport(comparison, title="T", command="c")
    kept = write_results(report, tmp_path / "groupings-v1.2")
    assert [file.name for file in kept] == ["groupings-v1.2.json", "groupings-v1.2.md"]
    assert kept[1].read_text(encoding="utf-8").startswith("# T\n")
    write_results(report, tmp_path / "results", page=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "groupings-v1.2.json",
        "groupings-v1.2.md",
        "results.html",
        "results.json",
        "results.md",
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "/a/b, split test: 40 pictures of 8 classes",
            "demo, split test: 40 pictures of 8 classes",
        ),
        ("C:\\a: b: 40 pictures of 8 classes", "demo: 40 pictures of 8 classes"),
        ("said otherwise", "said otherwise"),
    ],
)
def test_data_go_by_the_name_they_were_asked_for(comparison, before, after):
    row = replace(comparison.rows[0], data=before)
    (named,) = renamed(Comparison((row,), (), 0), "demo").rows
    assert named == replace(row, data=after)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory) -> Catalog:
    root = tmp_path_factory.mktemp("parts")
    return write_parts(root, classes=4, images_per_class=2, seed=0, spec=PartsSpec(size=48))


def test_masks_are_known_where_they_lie_beside_the_pictures(drawn, monkeypatch):
    assert has_masks(drawn)
    assert has_masks(drawn.split("test"))
    assert not has_masks(demo_catalog())
    assert not has_masks(drawn.subset([]))
    monkeypatch.chdir(drawn.root / "images")
    assert has_masks(Catalog.from_folder("."))


def test_masks_of_another_kind_are_not_taken_for_ours(tmp_path):
    from PIL import Image

    catalog = write_parts(tmp_path, classes=2, images_per_class=1, seed=0, spec=PartsSpec(size=32))
    first, second = sorted((tmp_path / "masks").rglob("*.png"))
    Image.new("L", (32, 32), 255).save(first)
    Image.new("L", (32, 32), 255).save(second)
    assert not has_masks(catalog)
    second.unlink()
    assert not has_masks(catalog)


def test_part_information_is_in_bits_and_nothing_for_one_group(drawn):
    assert part_information in measures_for(drawn)
    assert part_information not in measures_for(demo_catalog())
    small = Preprocessing(size=48, fit="stretch")
    one = create_model(Tiny(), head=Single(), dim=8, preprocessing=small)
    assert part_information(Measurand(one, drawn, EvaluationConfig())) == {
        "part_information_attention": 0.0,
        "part_information_tokens": 0.0,
    }
    two = create_model(Tiny(), head=Attentive(groups=2), dim=8, preprocessing=small)
    measured = part_information(Measurand(two, drawn, EvaluationConfig()))
    _, tokens = peak_parts(two, drawn)
    assert tokens.counts.sum() == 2 * len(drawn)
    assert 0 <= measured["part_information_tokens"] <= 1  # two groups: one bit at most


def test_part_information_takes_cells_where_they_are_drawn(drawn):
    torch.manual_seed(0)
    small = Preprocessing(size=48, fit="stretch")
    model = create_model(Tiny(), head=Attentive(groups=3), dim=9, preprocessing=small)
    attention, tokens = peak_parts(model, drawn, offset=(0.0, 0.0))
    told = part_information(Measurand(model, drawn, EvaluationConfig()))
    assert told["part_information_attention"] == mutual_information(attention.counts)
    assert told["part_information_tokens"] == mutual_information(tokens.counts)
    moved, _ = peak_parts(model, drawn)
    assert moved.information != attention.information
