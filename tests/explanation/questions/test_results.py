"""A result list: the best of all pictures, and what carried them on average."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from lookalike.data import Catalog
from lookalike.errors import UsageError
from lookalike.explanation import explain
from lookalike.explanation.account.group_names import GroupNames
from lookalike.explanation.questions import explain_results


@pytest.fixture(params=["plain", "graph"])
def model(request, plain, graph_of):
    return plain if request.param == "plain" else graph_of(0, 1)


def ranked(model, query, catalog, own):
    """Rank by one score after the other."""
    scores = {i: explain(model, query, catalog.path(i)).score for i in range(len(catalog))}
    scores.pop(own, None)
    return sorted(scores, key=lambda i: -scores[i])


def test_the_list_is_the_best_of_all_others(model, shelf):
    query = shelf.path(3)
    listed = explain_results(model, query, shelf, k=4)
    expected = ranked(model, query, shelf, 3)[:4]
    assert [result.row for result in listed.results] == expected
    assert [result.right for result in listed.results] == [i in (4, 5) for i in expected]
    assert [Path(why.pictures[1].name) for why in listed.pairs] == [shelf.path(i) for i in expected]
    assert listed.gallery == 8


def test_means_are_those_of_the_single_explanations(model, shelf):
    query = shelf.path(3)
    listed = explain_results(model, query, shelf, k=3)
    single = [explain(model, query, shelf.path(i)) for i in ranked(model, query, shelf, 3)[:3]]
    for place, group in enumerate(listed.groups):
        mean = np.mean([why.groups[place].value for why in single])
        assert group.value == pytest.approx(mean, abs=1e-6)
    mean = sum(why.maps[0] for why in single) / 3
    np.testing.assert_allclose(listed.over_a, mean, atol=1e-6)
    assert listed.score == pytest.approx(np.mean([why.score for why in single]), abs=1e-6)
    assert listed.gap < 1e-6


def test_a_picture_from_elsewhere_has_no_class(plain, shelf, noise):
    listed = explain_results(plain, noise(5), shelf, k=9)
    assert [result.row for result in listed.results] == ranked(plain, noise(5), shelf, None)
    assert {result.right for result in listed.results} == {None}
    assert "class" not in " ".join(listed.story().sentences)
    assert listed.gallery == 9


def test_files_keep_their_dashes(plain, shelf, tmp_path):
    for number in range(2):
        shutil.copy(shelf.path(number), tmp_path / f"a-b-{number}.png")
    (tmp_path / "x-y").mkdir()
    shutil.copy(shelf.path(5), tmp_path / "x-y" / "c-d.png")
    listed = explain_results(plain, shelf.path(0), Catalog.from_folder(tmp_path), k=1)
    assert "x-y/c-d.png" in str(listed).splitlines()[-1]


def test_nodes_of_a_graph_are_means_and_have_names(graph_of, shelf):
    model = graph_of(0, 1)
    names = GroupNames(tuple(f"n{i}" for i in range(12)))
    listed = explain_results(model, shelf.path(0), shelf, k=2, names=names)
    upper = np.mean([why.nodes[1].contribution for why in listed.pairs], axis=0)
    most = int(np.abs(upper).argmax())
    found = {node.label: node.value for node in listed.nodes(24)}
    assert found[f"n{most} (level 2, node {most})"] == pytest.approx(upper[most])
    assert sum(found.values()) == pytest.approx(listed.score, abs=1e-6)
    note = next(note for note in listed.story().notes if note.startswith("Nodes that give most"))
    assert "(level 2, node " in note


def test_told_and_shown(plain, shelf):
    names = GroupNames((None, "beak"))
    listed = explain_results(plain, shelf.path(0), shelf, k=2, names=names)
    told = listed.story()
    right = sum(result.right for result in listed.results)
    assert told.question == "What carried the first 2 results for A?"
    assert told.sentences[0].startswith("Carried most by ")
    assert told.sentences[1] == f"{right} of 2 are of A's class."
    assert [bar.name for bar in told.bars] == ["group 0", "beak (group 1)"]
    assert [line.split()[2] for line in str(listed).splitlines()[-2:]] == [
        why.pictures[1].label for why in listed.pairs
    ]
    query, results, maps = listed.rows()
    assert len(query.tiles) == len(results.tiles) == len(maps.tiles) == 2
    assert results.tiles[0].number.startswith("1: ")
    record = json.loads(listed.to_json())
    assert [result["rank"] for result in record["results"]] == [1, 2]
    assert record["groups"][1]["name"] == "beak (group 1)"


@pytest.mark.parametrize("k", [0, 9])
def test_k_is_within_the_catalog(k, plain, shelf):
    with pytest.raises(UsageError, match=f"k = {k}: .* has 8 pictures beside the query"):
        explain_results(plain, shelf.path(0), shelf, k=k)


def test_a_catalogs_boxes_count_where_the_model_says_so(plain, shelf, monkeypatch):
    from dataclasses import replace

    boxes = np.tile([4.0, 4.0, 30.0, 34.0], (9, 1))
    boxed = replace(shelf, boxes=boxes)
    p = plain.preprocessing.model_copy(update={"use_boxes": True})
    monkeypatch.setattr(plain, "preprocessing", p)
    listed = explain_results(plain, shelf.path(3), boxed, k=8)
    e = plain.embed_catalog(boxed).embedding
    scores = plain.similarity.matrix(e[3], e)[0]
    for result, why in zip(listed.results, listed.pairs, strict=True):
        assert why.score == pytest.approx(float(scores[result.row]), abs=1e-6)
        assert why.pictures[0].name == str(shelf.path(3))
