"""The row of a run: what is written can be read again."""

import json

from lookalike.comparison import Comparison, RunRow, to_json


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
    assert tuple(RunRow.from_dict(row) for row in rows) == comparison.rows


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
    assert RunRow.load(tmp_path) == row
    assert json.loads(to_json(Comparison((row,), (), 0))) == [plain]


def test_a_row_from_before_there_were_series_can_be_read(make_row):
    row = make_row("a", measures={"recall_at_1": 0.5})
    plain = row.to_dict()
    del plain["varied"]
    assert RunRow.from_dict(plain) == row
