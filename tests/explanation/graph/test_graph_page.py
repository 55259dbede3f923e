import base64
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from lookalike.explanation import GraphReport, explain_graph
from lookalike.explanation.graph import graph_page
from lookalike.explanation.graph.graph_page import nodes_record


@pytest.fixture(scope="module")
def pair(graph_of, noise):
    return explain_graph(graph_of(0, 1), noise(0), noise(1))


@pytest.fixture(scope="module")
def triplet(graph_of, noise):
    return explain_graph(graph_of(0, 1), noise(0), noise(1), noise(2))


def embedded(text):
    found = re.search(r'<script type="application/json" id="record">(.*?)</script>', text, re.S)
    return json.loads(found[1])


def steps_of(text, grid):
    """Return the signed bytes of a map."""
    return np.frombuffer(base64.b64decode(text), np.int8).reshape(grid)


@pytest.mark.parametrize("name", ["pair", "triplet"])
def test_the_page_has_every_node_that_can_be_reached(name, request):
    report = request.getfixturevalue(name)
    told = embedded(report.to_html())
    low, high = (level["nodes"] for level in told["levels"])
    starts = [str(node) for start in told["start"] for node in start["nodes"]]
    assert sorted(starts, key=int) == list(high)
    fed = {str(below) for node in high.values() for below, _ in node["near"]}
    assert fed == set(low)
    pictures = len(report.pictures)
    for nodes in (low, high):
        for node in nodes.values():
            assert len(node["difference"]) == len(node["reliability"]) == pictures - 1
            assert len(node["maps"]) == len(node["numbers"]) == len(told["pictures"]) == pictures


def test_edges_and_numbers_are_those_of_the_graph(pair):
    told = nodes_record(pair)
    nodes = pair.pairs[0].nodes[1]
    for name, node in told["levels"][1]["nodes"].items():
        number = int(name)
        assert [below for below, _ in node["near"]] == [
            int(i) for i in np.argsort(-nodes.edges[number]) if nodes.edges[number][i] > 0
        ][: graph_page.NEIGHBOURS]
        for below, weight in node["near"]:
            assert weight == pytest.approx(float(nodes.edges[number][below]), rel=1e-3)
        assert node["difference"] == pytest.approx([nodes.difference[number]], rel=1e-3)
        assert node["rectified"] == pytest.approx([nodes.rectified[number]], rel=1e-3)
        numbers = [side[number].sum() for side in nodes.responses]
        assert node["numbers"] == pytest.approx(numbers, rel=1e-3, abs=1e-6)


def test_maps_are_the_responses_in_steps_of_one_scale(pair):
    level = nodes_record(pair)["levels"][1]
    for name, node in level["nodes"].items():
        responses = [side[int(name)] for side in pair.pairs[0].nodes[1].responses]
        limit = max(np.abs(side).max() for side in responses)
        for text, grid, expected in zip(node["maps"], level["grids"], responses, strict=True):
            steps = steps_of(text, grid)
            np.testing.assert_allclose(steps * limit / 127, expected, atol=limit / 250)


def test_fine_maps_are_averaged(pair, monkeypatch):
    monkeypatch.setattr(graph_page, "CELLS", 4)
    level = nodes_record(pair)["levels"][1]
    assert level["grids"] == [(4, 4), (4, 4)]
    name, node = next(iter(level["nodes"].items()))
    means = [
        side[int(name)].reshape(4, 2, 4, 2).mean(axis=(1, 3))
        for side in pair.pairs[0].nodes[1].responses
    ]
    limit = max(np.abs(side).max() for side in means)
    steps = steps_of(node["maps"][0], (4, 4))
    np.testing.assert_allclose(steps * limit / 127, means[0], atol=limit / 250)


def test_only_so_much_is_shown(graph_of, noise):
    model = graph_of(0, 1, nodes=300, k=40)
    report = explain_graph(model, noise(0), noise(1))
    told = embedded(report.to_html())
    low, high = (level["nodes"] for level in told["levels"])
    for name, node in high.items():
        responses = [side[int(name)] for side in report.pairs[0].nodes[1].responses]
        assert steps_of(node["maps"][1], responses[1].shape) == pytest.approx(
            responses[1] * 127 / np.abs(responses).max(), abs=0.51
        )
    assert len(high) == 2 * graph_page.STARTS
    assert len(low) <= len(high) * graph_page.NEIGHBOURS
    assert {len(node["near"]) for node in high.values()} == {graph_page.NEIGHBOURS}


def test_nothing_is_fetched_and_a_triplet_has_three_pictures(triplet):
    text = triplet.to_html()
    outside = re.sub(r"data:image/jpeg;base64,[\w+/=]+", "", text)
    assert not re.search(r"https?:|@import|url\(|<link|src=\"[^\"]", outside)
    assert text.count("<figure>") == 3
    assert "A with C" in text
    assert len(text) < 500_000


def test_a_name_cannot_run_as_code(pair):
    (why,) = pair.pairs
    name = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&.jpg"
    evil = replace(why, pictures=(replace(why.pictures[0], name=name), why.pictures[1]))
    text = GraphReport((evil,)).to_html()
    assert text.count("<script") == 2
    assert "<img src=x" not in text
