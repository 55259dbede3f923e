"""Which row of a catalog a picture is, and which modules can be asked."""

import pytest
import torch
from PIL import Image

from lookalike.errors import UsageError
from lookalike.explanation.questions.catalog_pictures import require_model, row_of


def test_rows_of_pictures(shelf, tmp_path, monkeypatch):
    assert row_of(shelf, shelf.path(4)) == 4
    assert row_of(shelf, str(shelf.path(4))) == 4
    assert row_of(shelf, tmp_path / "other.png") is None
    assert row_of(shelf, Image.new("RGB", (9, 9))) is None
    link = tmp_path / "link.png"
    link.symlink_to(shelf.path(2))
    assert row_of(shelf, link) == 2
    monkeypatch.chdir(shelf.root)
    assert row_of(shelf, "b/../a/1.png") == 1


def test_another_module_is_told_where_to_go():
    with pytest.raises(UsageError, match="got Linear: lookalike"):
        require_model(torch.nn.Linear(2, 2))
