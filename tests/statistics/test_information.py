import numpy as np
import pytest

from lookalike.statistics.information import mutual_information


@pytest.mark.parametrize(
    ("counts", "bits"),
    [
        ([[8, 0, 0, 0], [0, 8, 0, 0], [0, 0, 8, 0], [0, 0, 0, 8]], 2.0),
        ([[5, 3, 1], [5, 3, 1]], 0.0),
        # H(column) = 1, H(column | row) = H(1/4) = 2 - 3/4 log2 3
        ([[3, 1], [1, 3]], 1 - (2 - 0.75 * np.log2(3))),
        ([[0, 0], [0, 0]], 0.0),
    ],
)
def test_mutual_information_by_hand(counts, bits):
    assert mutual_information(counts) == pytest.approx(bits, abs=1e-12)
