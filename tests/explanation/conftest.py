import numpy as np
import pytest
from PIL import Image

from lookalike.explanation import Contribution, Explanation, Pictured
from lookalike.preprocessing import Geometry


@pytest.fixture
def why() -> Explanation:
    """A score of 1 made by hand: regions are 1/2, 1/4 and 1/4 − 1/8 + 1/8, the rest 0."""
    regions = np.zeros((4, 2))
    regions[0, 0], regions[0, 1], regions[3, 1] = 0.5, 0.25, 0.25
    wide = Geometry(width=300, height=200, box=(50.0, 0.0, 250.0, 200.0))
    square = Geometry(width=80, height=80, box=(0.0, 0.0, 80.0, 80.0))
    return Explanation(
        score=1.0,
        groups=(Contribution("group 0", 1.25), Contribution("group 1", -0.25)),
        maps=(
            np.array([[[1.0, 0.0], [0.0, 0.25]], [[-0.25, 0.0], [0.0, 0.0]]]),
            np.array([[[0.75, 0.5]], [[-0.25, 0.0]]]),
        ),
        attention=(np.full((2, 2, 2), 0.25), np.full((2, 1, 2), 0.5)),
        regions=regions,
        pictures=(
            Pictured(Image.new("RGB", (300, 200), "white"), wide, "a folder/one.png"),
            Pictured(Image.new("RGB", (80, 80), "white"), square, "a folder/two.png"),
        ),
        percentile_same=41.26,
        percentile_different=99.0,
    )
