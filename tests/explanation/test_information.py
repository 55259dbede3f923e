import numpy as np
import pytest
import torch
from torch import nn

from lookalike.data import read_masks, write_parts
from lookalike.data.parts import PARTS
from lookalike.explanation.information import mutual_information, part_counts
from lookalike.heads import Single
from lookalike.model import create_model
from lookalike.preprocessing import Preprocessing
from lookalike.types import FeatureMaps


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


class Pointer(nn.Module):
    """A head whose groups look at the first pixel of a part that there is, or at a corner."""

    groups = 3

    def __init__(self, catalog):
        super().__init__()
        self.masks = iter([read_masks(catalog.path(i)) for i in range(len(catalog))])

    def attention(self, maps):
        n, _, height, width = maps.stages[-1].shape
        drawn = torch.zeros(n, 3, height, width)
        for i in range(n):
            masks = next(self.masks)
            for group, part in enumerate(("body", "head")):
                y, x = np.argwhere(masks[part])[0]
                drawn[i, group, y, x] = 1
            drawn[i, 2, 0, 0] = 1
        return drawn


@pytest.fixture
def drawn(tmp_path):
    return write_parts(tmp_path, classes=4, images_per_class=3, seed=0)


@pytest.fixture
def model():
    model = create_model("tiny", head=Single(), dim=8, preprocessing=Preprocessing(size=96))
    model.backbone.forward = lambda images: FeatureMaps((images,), (1,))
    return model


def test_peaks_are_counted_by_part(drawn, model):
    model.head = Pointer(drawn)
    counts = part_counts(model, drawn)
    expected = np.zeros((3, 5), int)
    expected[0, PARTS.index("body")] = 12
    expected[1, PARTS.index("head")] = 12
    expected[2, len(PARTS)] = 12
    assert counts.tolist() == expected.tolist()


def test_groups_that_look_at_one_place_know_nothing(drawn):
    model = create_model("tiny", head=Single(), dim=8)
    assert mutual_information(part_counts(model, drawn)) == 0.0
    assert part_counts(model, drawn, of="tokens").sum() == len(drawn)
