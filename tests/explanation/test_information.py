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
from lookalike.types import FeatureMaps, Tokens


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
    """A head whose groups look at the first pixel of a part that there is, or at a corner.

    Its longest tokens lie in the first pixel of the marking, whatever the group.
    """

    groups = 3

    def __init__(self, catalog):
        super().__init__()
        self.masks = [read_masks(catalog.path(i)) for i in range(len(catalog))]
        self.seen = 0

    def attention(self, maps):
        n, _, height, width = maps.stages[-1].shape
        drawn = torch.zeros(n, 3, height, width)
        for i, masks in enumerate(self.masks[self.seen : self.seen + n]):
            for group, part in enumerate(("body", "head")):
                y, x = np.argwhere(masks[part])[0]
                drawn[i, group, y, x] = 1
            drawn[i, 2, 0, 0] = 1
        return drawn

    def tokens(self, maps):
        n, _, height, width = maps.stages[-1].shape
        drawn = torch.full((n, 3, height * width, 2), 0.1)
        for i, masks in enumerate(self.masks[self.seen : self.seen + n]):
            drawn[i, :, np.flatnonzero(masks["marking"])[0]] = -1.0
        self.seen += n
        return Tokens((drawn,), ((height, width),))


@pytest.fixture
def drawn(tmp_path):
    return write_parts(tmp_path, classes=4, images_per_class=3, seed=0)


@pytest.fixture
def model():
    model = create_model("tiny", head=Single(), dim=8, preprocessing=Preprocessing(size=96))
    model.forwards = []
    model.backbone.forward = lambda images: (
        model.forwards.append(len(images)) or FeatureMaps((images,), (1,))
    )
    return model


def test_peaks_are_counted_by_part(drawn, model):
    model.head = Pointer(drawn)
    counts = part_counts(model, drawn, batch_size=5)
    expected = np.zeros((3, 5), int)
    expected[0, PARTS.index("body")] = 12
    expected[1, PARTS.index("head")] = 12
    expected[2, len(PARTS)] = 12
    assert counts.attention.tolist() == expected.tolist()
    expected = np.zeros((3, 5), int)
    expected[:, PARTS.index("marking")] = 12
    assert counts.tokens.tolist() == expected.tolist()
    assert model.forwards == [5, 5, 2]  # once for both maps


def test_groups_that_look_at_one_place_know_nothing(drawn):
    model = create_model("tiny", head=Single(), dim=8)
    counts = part_counts(model, drawn)
    assert mutual_information(counts.attention) == 0.0
    assert counts.tokens.sum() == len(drawn)
