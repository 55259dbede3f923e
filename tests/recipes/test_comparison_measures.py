import numpy as np
import pytest
from PIL import Image

from lookalike.data import Catalog
from lookalike.evaluation.definitions import definition
from lookalike.heads import Levels, LinearGroups
from lookalike.model import create_model
from lookalike.preprocessing import Preprocessing
from lookalike.recipes.comparison.measures import level_recalls


@pytest.fixture
def catalog(tmp_path) -> Catalog:
    rng = np.random.default_rng(0)
    for label in range(4):
        (tmp_path / f"c{label}").mkdir()
        for i in range(3):
            pixels = rng.integers(0, 255, (24, 24, 3), np.uint8)
            Image.fromarray(pixels).save(tmp_path / f"c{label}" / f"{i}.png")
    return Catalog.from_folder(tmp_path)


def test_each_level_is_measured_by_the_cosine_of_its_nodes(catalog):
    model = create_model(
        "tiny", head=Levels(stages=(0, 1, 2)), dim=6, preprocessing=Preprocessing(size=24)
    )
    found = level_recalls(model, catalog)
    embedding = model.embed([catalog.path(i) for i in range(len(catalog))])
    assert len(found) == 3
    for number, level in enumerate(embedding.levels, start=1):
        vectors = level.vectors[:, :, 0].numpy()
        cosines = vectors @ vectors.T
        np.fill_diagonal(cosines, -2)
        hits = catalog.labels[cosines.argmax(1)] == catalog.labels
        assert found[f"recall_at_1_of_level_{number}"] == pytest.approx(hits.mean())
        assert f"level {number} " in definition(f"recall_at_1_of_level_{number}")


def test_heads_without_levels_have_nothing_to_measure(catalog):
    model = create_model("tiny", head=LinearGroups(groups=2), dim=8)
    assert level_recalls(model, catalog) == {}
