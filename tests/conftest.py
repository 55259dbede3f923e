import numpy as np
import pytest
from PIL import Image

from lookalike.data import Catalog


@pytest.fixture(scope="session")
def noise(tmp_path_factory) -> Catalog:
    """Forty pictures of noise, four of each of ten classes: c0/0.png and so on. Do not change."""
    root = tmp_path_factory.mktemp("noise")
    random = np.random.default_rng(0)
    for label in range(10):
        (root / f"c{label}").mkdir()
        for number in range(4):
            pixels = random.integers(0, 255, (30, 40, 3), np.uint8)
            Image.fromarray(pixels).save(root / f"c{label}" / f"{number}.png")
    return Catalog.from_folder(root)
