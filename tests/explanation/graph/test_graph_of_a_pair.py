"""`explain` on models whose similarity is a graph."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from lookalike.data import to_inputs
from lookalike.explanation import (
    Subject,
    Viewing,
    explain,
    explain_pairs,
    look_at_groups,
    view_runs,
)
from lookalike.explanation.account import explanation_page
from lookalike.explanation.account.explanation_sheet import explanation_sheet
from lookalike.explanation.groups.maps import group_maps


@pytest.fixture(scope="module")
def model(graph_of):
    return graph_of(0, 1)


@pytest.fixture(scope="module")
def why(model, noise):
    return explain(model, noise(0), noise(1, 40, 70))


def test_the_number_explained_is_minus_the_distance(model, why, noise):
    a, b = model.embed([noise(0)]), model.embed([noise(1, 40, 70)])
    assert why.score == pytest.approx(float(model.similarity.matrix(a, b)), abs=1e-6)
    assert why.score < 0


@settings(max_examples=10, deadline=None)
@given(
    stages=st.sampled_from([(0, 1), (-1,), (0,)]),
    seed=st.integers(0, 2**16),
    width=st.integers(8, 80),
)
def test_parts_add_up(graph_of, noise, stages, seed, width):
    why = explain(graph_of(*stages, seed=seed), noise(seed, width), noise(seed + 1))
    values = [group.value for group in why.groups]
    assert [group.name for group in why.groups] == [f"level {i + 1}" for i in range(len(stages))]
    assert sum(values) == pytest.approx(why.score, abs=1e-5)
    assert why.maps[0].sum() + why.maps[1].sum() == pytest.approx(why.score, abs=1e-5)
    both = why.maps[0].sum(axis=(1, 2)) + why.maps[1].sum(axis=(1, 2))
    np.testing.assert_allclose(both, values, atol=1e-5)
    nodes = [level.contribution.sum() for level in why.nodes]
    np.testing.assert_allclose(nodes, values, atol=1e-9)
    assert why.regions.sum() == pytest.approx(why.score, abs=1e-5)
    assert why.gap < 1e-5


def test_the_gap_sees_what_was_lost(why):
    lost = [values.copy() for values in why.maps]
    lost[1][0] += 0.25 / lost[1][0].size
    assert replace(why, maps=tuple(lost)).gap == pytest.approx(0.25, abs=1e-5)
    low, high = why.nodes
    halved = replace(low, difference=low.difference / 2)
    assert replace(why, nodes=(halved, high)).gap == pytest.approx(-low.contribution.sum() / 2)
    assert replace(why, together=False).gap > 100 * why.gap


def test_every_node_is_reached(model, why, noise):
    a, b = model.embed([noise(0)]), model.embed([noise(1, 40, 70)])
    parts = model.similarity.parts(a, b).values[0]
    found = np.concatenate([level.contribution for level in why.nodes])
    np.testing.assert_allclose(found, parts, atol=1e-6)
    for number, level in enumerate(why.nodes):
        numbers = [e.levels[number].vectors[0, :, 0] for e in (a, b)]
        for responses, expected in zip(level.responses, numbers, strict=True):
            np.testing.assert_allclose(responses.sum(axis=(1, 2)), expected, atol=1e-5)
        assert level.difference == pytest.approx(
            (numbers[0] - numbers[1]).square().numpy(), abs=1e-7
        )


def test_json_holds_the_nodes(why):
    record = json.loads(why.to_json())
    assert record["together"] is True
    low, high = record["nodes"]
    assert (low["name"], high["name"]) == ("level 1", "level 2")
    assert low["reliability"] == [1.0] * 12
    product = np.multiply(high["sensitivity"], high["difference"])
    np.testing.assert_allclose(high["contribution"], -product)


def test_figure_and_page_show_levels(why):
    sheet = explanation_sheet(why)
    names = [column.name for column in sheet.rows[0].columns]
    assert names == ["", "whole score", "level 1", "level 2"]
    assert sheet.title.startswith("Why are A and B alike? Similarity −0.")
    assert sheet.title.endswith(", where 0 is the most")
    assert sheet.note.startswith("each number is the sum of its two maps; parts add up")
    text = why.to_html()
    assert "The maps of both pictures together sum to the number" in text
    assert "Either picture's map" not in text
    assert text.count('data-panel="2"') == 3  # a button and two maps


def test_a_page_with_fine_maps_is_without_regions(why, monkeypatch):
    assert '"regions": [[' in why.to_html()
    monkeypatch.setattr(explanation_page, "MOST_NUMBERS", why.regions.size - 1)
    assert '"regions": null' in why.to_html()
    assert json.loads(why.to_json())["regions"] == why.regions.tolist()


def test_accounts_share_what_they_can(model, noise):
    first, second = explain_pairs(model, [(noise(0), noise(1)), (noise(0), noise(2))])
    assert np.shares_memory(first.nodes[1].edges, second.nodes[1].edges)


def test_groups_of_a_graph_are_the_nodes_of_its_highest_level(model, noise):
    pictures = [Image.fromarray(noise(seed)) for seed in (0, 1)]
    maps, kind = group_maps(model, to_inputs(pictures, model.preprocessing), groups=[3, 0])
    assert kind.name == "node's response"
    assert maps.shape == (2, 2, 8, 8)
    np.testing.assert_allclose(maps.sum(dim=(2, 3)), 1, atol=1e-5)
    assert float(maps.amin()) == 0


def test_the_gallery_of_groups_takes_a_graph(model, album):
    viewing = Viewing(album, (Subject.of(album, 0),), count=2)
    report = look_at_groups(view_runs({"graph": model}, [1]), viewing)
    assert [len(row) for row in report.runs[0].peaks] == [2]
