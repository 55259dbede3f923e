from pathlib import Path

import numpy as np
import pytest
from PIL import Image


@pytest.fixture(scope="session")
def noise_folder(tmp_path_factory) -> Path:
    """Six pictures of noise, two each of the classes a, b and c: a/0.png and so on."""
    root = tmp_path_factory.mktemp("noise")
    random = np.random.default_rng(0)
    for label in "abc":
        (root / label).mkdir()
        for number in range(2):
            pixels = random.integers(0, 255, (24, 30, 3), np.uint8)
            Image.fromarray(pixels).save(root / label / f"{number}.png")
    return root
