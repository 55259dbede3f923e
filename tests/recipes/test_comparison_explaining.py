"""What a comparison measures of explanations: names, and what is not there."""

import pytest
import torch

from lookalike.data import Catalog, write_parts
from lookalike.data.parts import PartsSpec
from lookalike.explanation.measures import faithfulness, localise
from lookalike.explanation.saliency import METHODS
from lookalike.heads import Attentive, Levels
from lookalike.model import Model, create_model
from lookalike.preprocessing import Preprocessing
from lookalike.recipes.comparison.explaining import (
    DEFINITIONS,
    LABELS,
    LOWER_IS_BETTER,
    explanation_measures,
)
from lookalike.similarity import Graph

AREAS = {"deletion_exact", "deletion_grad_cam", "insertion_exact", "insertion_grad_cam"}


@pytest.fixture(scope="module")
def model() -> Model:
    torch.manual_seed(2)  # with these weights hiding a figure lowers the score
    preprocessing = Preprocessing(size=32, fit="stretch")
    return create_model("tiny", head=Attentive(groups=2), dim=8, preprocessing=preprocessing)


@pytest.fixture(scope="module")
def parts(tmp_path_factory) -> Catalog:
    folder = tmp_path_factory.mktemp("parts")
    return write_parts(folder, classes=3, images_per_class=2, seed=0, spec=PartsSpec(size=32))


def test_numbers_under_the_names_of_their_methods(model, parts):
    found = explanation_measures(model, parts, pairs=3, seed=1)
    assert set(found) == AREAS | {"pointing_exact", "pointing_grad_cam"}
    methods = [METHODS["exact"], METHODS["grad_cam"]]
    exact, grad_cam = faithfulness(model, parts, methods, count=3, seed=1)
    assert found["deletion_exact"] == exact.deletion.area.mean
    assert found["insertion_grad_cam"] == grad_cam.insertion.area.mean
    where = localise(model, parts, [METHODS["grad_cam"]], count=3, seed=1)
    assert found["pointing_grad_cam"] == where[0].whole.peaks.mean
    assert set(found) < set(LABELS) == set(DEFINITIONS)
    assert LABELS["deletion_grad_cam"] == "deletion, Grad-CAM"
    assert {name for name in found if name in LOWER_IS_BETTER} == {
        "deletion_exact",
        "deletion_grad_cam",
    }


def test_of_a_graph_also_what_pictures_share(parts):
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
    found = explanation_measures(graph, parts, pairs=2)
    assert {"deletion_shared", "insertion_shared", "pointing_shared"} <= set(found) <= set(LABELS)


def test_nothing_points_where_no_parts_are_known(model, noise_folder):
    plain = Catalog.from_folder(noise_folder).subset([0, 1, 2, 3])
    assert set(explanation_measures(model, plain, pairs=2)) == AREAS
    assert explanation_measures(model, plain.subset([0, 2]), pairs=2) == {}
