"""The demo with a tiny network: what it writes, not how good it is."""

import json

import pytest
import torch

from lookalike import recipes
from lookalike.backbones import Tiny
from lookalike.checkpoint import load
from lookalike.data import demo_catalog
from lookalike.errors import UsageError
from lookalike.explanation.groups.peaks import catalog_maps, strongest
from lookalike.preprocessing import Preprocessing
from lookalike.recipes.demo_result_lists import draw_queries

QUERIES = 2


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    recipe = recipes.emoji()
    model = recipe.model.model_copy(
        update={"backbone": Tiny(), "preprocessing": Preprocessing(size=32, fit="pad"), "dim": 32}
    )
    train = recipe.train.model_copy(update={"epochs": 1, "batches_per_epoch": 1})
    evaluation = recipe.evaluation.model_copy(update={"seeds": (0,)})
    small = recipe.model_copy(update={"model": model, "train": train, "evaluation": evaluation})
    said = []
    folder = tmp_path_factory.mktemp("demo")
    result = recipes.run_demo(small, folder, queries=QUERIES, say=said.append)
    assert len(said) == 4
    return result


def test_figures_say_before_and_after_and_that_the_parts_add_up(demo):
    figures = json.loads((demo.folder / "report.json").read_text())
    assert figures == json.loads(json.dumps(demo.figures))
    for key in ("before", "single", "after"):
        assert 0 < figures[f"recall_at_1_{key}"] < 1
    assert figures["max_gap"] <= 1e-5
    assert figures["explanations"] == 4 * 2 * QUERIES
    assert figures["data"]["test"] == {"images": 640, "classes": 160}
    assert f"{figures['recall_at_1_after']:.3f}" in demo.summary()


def test_the_page_stands_alone_and_its_links_lead_somewhere(demo):
    page = (demo.folder / "report.html").read_text()
    assert "http:" not in page
    assert "https:" not in page
    assert page.count("<article") == 2 * QUERIES
    assert page.count("data:image") >= 2 * QUERIES * (1 + 2 * 4) + 4 * 10
    for number in range(2 * QUERIES):
        assert f'href="why/{number}.html"' in page
        assert (demo.folder / "why" / f"{number}.html").stat().st_size > 10_000


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "attentive").mkdir()
    with pytest.raises(UsageError, match="something other"):
        recipes.run_demo(recipes.emoji(), tmp_path)
    assert (tmp_path / "attentive").exists()


def test_queries_are_of_different_concepts_and_a_wrong_list_ends_with_a_right_picture(demo):
    model = load(demo.folder / "attentive")
    test = demo_catalog().split("test")
    found = draw_queries(model, test, right=5, wrong=4, shown=3, seed=1)
    labels = test.labels
    assert len({int(labels[f.query]) for f in found}) == len(found) == 9
    right = [labels[f.rows[0]] == labels[f.query] for f in found]
    assert right == [True] * 5 + [False] * 4
    for f in found:
        assert f.query not in f.rows
        assert any(labels[row] == labels[f.query] for row in f.rows)
        assert list(f.ranks) == sorted(f.ranks)


def test_peaks_are_the_highest_of_their_classes(demo):
    model = load(demo.folder / "attentive")
    test = demo_catalog().split("test").subset(list(range(80)))
    maps = torch.cat(list(catalog_maps(model, test)))
    for group, peaks in enumerate(strongest(model, test, count=5)):
        tops = maps[:, group].amax((1, 2))
        best = {}
        for row in range(len(test)):
            label = int(test.labels[row])
            best[label] = max(best.get(label, 0.0), float(tops[row]))
        expected = sorted(best.values(), reverse=True)[:5]
        assert [peak.weight for peak in peaks] == pytest.approx(expected)
        assert all(peak.map.sum() == pytest.approx(1, abs=1e-5) for peak in peaks)
