from pathlib import Path

import pytest

from lookalike.cli.selection import open_catalog
from lookalike.errors import CatalogError, UsageError


def test_splits_of_a_named_catalog():
    assert len(open_catalog(Path("demo"), None)) == 1280
    assert open_catalog(Path("demo"), None, split=None).split_names == ("test",)
    assert open_catalog(Path("demo"), None, split="train").split_names == ("train",)


def test_a_benchmark_is_partial_only_if_allowed(tmp_path):
    header = "image_id class_id super_class_id path\n"
    for number, part in enumerate(("train", "test")):
        path = tmp_path / "mug_final" / f"{number}.JPG"
        path.parent.mkdir(exist_ok=True)
        path.touch()
        row = f"{number} {number} 1 mug_final/{number}.JPG\n"
        (tmp_path / f"Ebay_{part}.txt").write_text(header + row)
    data = Path(f"sop:{tmp_path}")
    with pytest.raises(CatalogError, match="--allow-partial"):
        open_catalog(data, None)
    with pytest.warns(UserWarning, match="not the Stanford Online Products"):
        assert open_catalog(data, None, split=None, allow_partial=True).paths == (
            "mug_final/1.JPG",
        )


def test_columns_are_checked_before_the_catalog_is_read():
    with pytest.raises(UsageError, match="NAME=COLUMN"):
        open_catalog(Path("nowhere"), ["path"])
