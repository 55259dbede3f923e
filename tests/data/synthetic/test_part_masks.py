"""Where drawn parts have masks, and which masks are not taken for ours."""

import pytest
from PIL import Image

from lookalike.data import Catalog, PartsSpec, demo_catalog, has_masks, write_parts


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
    catalog = write_parts(tmp_path, classes=2, images_per_class=1, seed=0, spec=PartsSpec(size=32))
    first, second = sorted((tmp_path / "masks").rglob("*.png"))
    Image.new("L", (32, 32), 255).save(first)
    Image.new("L", (32, 32), 255).save(second)
    assert not has_masks(catalog)
    second.unlink()
    assert not has_masks(catalog)
