"""Tiles of an answer."""

import numpy as np
from PIL import Image

from lookalike.explanation.questions.picture_tiles import outlined


def test_lines_go_around_hidden_cells():

    hidden = np.array([[True, True], [False, False]])
    drawn = np.asarray(outlined(Image.new("RGB", (40, 40), "white"), hidden))
    assert (drawn[20, 5] == 0).all()  # between hidden and shown
    assert (drawn[8:14, 20] == 255).all()  # between two hidden cells there is none
    assert (drawn[30:] == 255).all()
