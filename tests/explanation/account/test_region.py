import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.errors import UsageError
from lookalike.explanation.account.region import coverage
from lookalike.preprocessing import Geometry

GEOMETRY = Geometry(width=300, height=200, box=(50.0, 0.0, 250.0, 200.0))


def test_a_cell_is_itself():
    shares = coverage((1, 2), grid=(2, 4), geometry=GEOMETRY)
    assert shares.tolist() == [[0, 0, 0, 0], [0, 0, 1, 0]]


def test_a_box_counts_cells_by_what_it_covers():
    # Cells are 50 × 100 pixels and begin at x = 50; the box also reaches beyond what was seen.
    shares = coverage((0.0, 50.0, 75.0, 200.0), grid=(2, 4), geometry=GEOMETRY)
    assert shares.tolist() == [[0.25, 0, 0, 0], [0.5, 0, 0, 0]]


def test_the_whole_picture_covers_every_cell():
    shares = coverage((0.0, 0.0, 300.0, 200.0), grid=(3, 5), geometry=GEOMETRY)
    np.testing.assert_allclose(shares, 1)


@given(st.floats(51, 249), st.floats(1, 199))
def test_boxes_that_share_a_picture_share_its_cells(x, y):
    boxes = [(0.0, 0.0, x, y), (x, 0.0, 300.0, y), (0.0, y, x, 200.0), (x, y, 300.0, 200.0)]
    total = sum(coverage(box, grid=(3, 4), geometry=GEOMETRY) for box in boxes)
    np.testing.assert_allclose(total, 1, atol=1e-9)


def test_a_mask_is_taken_as_it_is():
    mask = np.array([[True, False], [False, True]])
    assert coverage(mask, grid=(2, 2), geometry=GEOMETRY).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("region", "says"),
    [
        ((2, 0), r"cell \(2, 0\) is not on the map of 2×2 cells"),
        ((0, -1), "is not on the map"),
        ((0.0, 0.0, 50.0, 200.0), "covers no cell"),
        ((90.0, 90.0, 60.0, 60.0), "covers no cell"),
        (np.ones((3, 3), dtype=bool), r"map's shape \(2, 2\), got bool \(3, 3\)"),
        (np.zeros((2, 2), dtype=bool), "covers no cell"),
    ],
)
def test_a_region_that_is_not_there_is_refused(region, says):
    with pytest.raises(UsageError, match=says):
        coverage(region, grid=(2, 2), geometry=GEOMETRY)
