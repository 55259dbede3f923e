import numpy as np
import pytest
from PIL import Image

from lookalike.data import Catalog


@pytest.fixture(scope="session")
def coloured(tmp_path_factory) -> Catalog:
    """Three classes of four pictures, each class of its own colour, a little noisy."""
    root = tmp_path_factory.mktemp("pictures")
    random = np.random.default_rng(0)
    for name, colour in {"red": (200, 0, 0), "green": (0, 200, 0), "blue": (0, 0, 200)}.items():
        (root / name).mkdir()
        for i in range(4):
            pixels = np.clip(random.normal(colour, 20, (32, 32, 3)), 0, 255).astype(np.uint8)
            Image.fromarray(pixels).save(root / name / f"{i}.png")
    return Catalog.from_folder(root)
