"""Stanford Online Products on miniatures in its real formats."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from lookalike.data.benchmarks.benchmark import Published
from lookalike.data.benchmarks.layouts import LayoutContents, read_layout
from lookalike.data.benchmarks.sop import SOP, sop
from lookalike.errors import CatalogError

HEADER = "image_id class_id super_class_id path"
TRAIN = """\
1 1 1 bicycle_final/111085122871_0.JPG
2 1 1 bicycle_final/111085122871_1.JPG
3 2 2 coffee_maker_final/1214_0.JPG
"""
TEST = """\
4 11319 1 bicycle_final/251952414262_0.JPG
5 11319 1 bicycle_final/251952414262_1.JPG
"""


def write_lists(folder: Path, train: str = TRAIN, test: str = TEST) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Ebay_train.txt").write_text(f"{HEADER}\n{train}")
    (folder / "Ebay_test.txt").write_text(f"{HEADER}\n{test}")
    (folder / "Ebay_info.txt").write_text(f"{HEADER}\n{train}{test}")


def write_pictures(folder: Path, *, bare: bool = False, suffix: str = ".JPG") -> None:
    for line in (TRAIN + TEST).splitlines():
        listed = line.split()[-1]
        if bare:
            listed = listed.replace("_final", "")
        path = folder / listed.replace(".JPG", suffix)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def read(root: Path) -> LayoutContents:
    return read_layout(SOP.title, root, SOP.layouts, closed_set=False)


def official(root: Path) -> Path:
    write_lists(root)
    write_pictures(root)
    return root


@pytest.mark.parametrize("folder", ["", "Stanford_Online_Products"])
def test_official_tree_given_or_the_folder_that_holds_it(tmp_path, folder):
    official(tmp_path / folder)
    found = read(tmp_path)
    assert found.layout.startswith("official tree")
    assert found.root == tmp_path / folder
    assert [(entry.path, entry.label, entry.split) for entry in found.entries] == [
        ("bicycle_final/111085122871_0.JPG", "1", "train"),
        ("bicycle_final/111085122871_1.JPG", "1", "train"),
        ("coffee_maker_final/1214_0.JPG", "2", "train"),
        ("bicycle_final/251952414262_0.JPG", "11319", "test"),
        ("bicycle_final/251952414262_1.JPG", "11319", "test"),
    ]
    assert [entry.row for entry in found.entries] == [2, 3, 4, 2, 3]  # lines of either list
    assert {entry.group for entry in found.entries} == {None}


@pytest.mark.parametrize("bare", [True, False])
@pytest.mark.parametrize("folder", ["", "online_products"])
def test_online_products_tree_in_either_spelling(tmp_path, folder, bare):
    base = tmp_path / folder
    write_lists(base / "Info_Files")
    write_pictures(base / "images", bare=bare)
    found = read(tmp_path)
    assert found.layout.startswith("online_products tree")
    assert found.root == base / "images"
    kind = "bicycle" if bare else "bicycle_final"
    assert found.entries[0].path == f"{kind}/111085122871_0.JPG"
    assert all((found.root / entry.path).is_file() for entry in found.entries)


def test_suffixes_are_spelled_as_on_disk(tmp_path):
    write_lists(tmp_path)
    write_pictures(tmp_path, suffix=".jpg")
    found = read(tmp_path)
    assert found.entries[0].path == "bicycle_final/111085122871_0.jpg"
    assert all((found.root / entry.path).is_file() for entry in found.entries)


def test_a_picture_that_is_not_there_keeps_its_listed_name(tmp_path):
    official(tmp_path)
    (tmp_path / "bicycle_final" / "111085122871_1.JPG").unlink()
    (tmp_path / "coffee_maker_final" / "1214_0.JPG").unlink()
    (tmp_path / "coffee_maker_final").rmdir()
    found = read(tmp_path)
    paths = [entry.path for entry in found.entries]
    assert "bicycle_final/111085122871_1.JPG" in paths
    assert "coffee_maker_final/1214_0.JPG" in paths


def test_super_classes_are_counted_over_both_lists(tmp_path):
    found = read(official(tmp_path))
    assert found.notes == ("listed by super class: bicycle 4, coffee_maker 1",)


def test_windows_line_ends_a_mark_and_blank_lines_are_read(tmp_path):
    official(tmp_path)
    text = f"\ufeff{HEADER}\n\n{TRAIN}\n".replace("\n", "\r\n")
    (tmp_path / "Ebay_train.txt").write_bytes(text.encode())
    found = read(tmp_path)
    assert [entry.row for entry in found.entries] == [3, 4, 5, 2, 3]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("6 x 1 bicycle_final/a.JPG", "line 5: expected a row like '1 1 1 bicycle_final/"),
        ("6 3 1", "line 5: expected a row like .* found '6 3 1'"),
        ("6 3 1 a.JPG", "line 5: expected a row like"),
        ("6 3 1 /etc/passwd", "line 5: expected a row like"),
        ("6 3 1 bicycle_final/a b.JPG", "line 5: expected a row like"),
        ("6 1 1 bicycle_final/111085122871_0.JPG", "line 5: the picture of line 2 again"),
    ],
)
def test_bad_lines_are_named(tmp_path, line, words):
    official(tmp_path)
    write_lists(tmp_path, train=f"{TRAIN}{line}\n")
    with pytest.raises(CatalogError, match=words) as caught:
        read(tmp_path)
    assert str(tmp_path / "Ebay_train.txt") in str(caught.value)


def test_many_bad_lines_are_counted_and_ten_named(tmp_path):
    official(tmp_path)
    write_lists(tmp_path, test="nonsense\n" * 12)
    with pytest.raises(CatalogError, match=r"Ebay_test\.txt: bad rows: 12\n") as caught:
        read(tmp_path)
    assert "line 11:" in str(caught.value)
    assert "line 12:" not in str(caught.value)
    assert "and 2 more" in str(caught.value)


def test_a_list_without_its_header_or_without_its_sister(tmp_path):
    official(tmp_path)
    (tmp_path / "Ebay_test.txt").write_text(TEST)
    with pytest.raises(CatalogError, match=r"Ebay_test\.txt: line 1: expected 'image_id class_id"):
        read(tmp_path)
    (tmp_path / "Ebay_test.txt").unlink()
    with pytest.raises(CatalogError, match=r"Ebay_test\.txt: cannot read the list"):
        read(tmp_path)


def test_a_folder_without_the_lists_or_without_pictures_is_no_layout(tmp_path):
    (tmp_path / "bicycle_final").mkdir()
    with pytest.raises(CatalogError, match=r"no known layout of Stanford .*\n.*Ebay_train\.txt"):
        read(tmp_path)
    write_lists(tmp_path / "only" / "lists")
    with pytest.raises(CatalogError, match="no known layout"):
        read(tmp_path / "only")


def test_counts_that_are_not_the_published_ones_are_refused(tmp_path):
    official(tmp_path)
    (tmp_path / "bicycle_final" / "111085122871_1.JPG").unlink()
    with pytest.raises(CatalogError) as caught:
        sop(tmp_path)
    message = str(caught.value)
    assert "train: expected 59,551 images of 11,318 classes, found 2 images of 2 classes" in message
    assert "test: expected 60,502 images of 11,316 classes, found 2 images of 1 classes" in message
    assert "bicycle_final/111085122871_1.JPG" in message


def test_a_partial_copy_is_read_if_allowed_and_warned_of(tmp_path):
    official(tmp_path)
    (tmp_path / "coffee_maker_final" / "1214_0.JPG").unlink()
    with pytest.warns(UserWarning, match="coffee_maker_final/1214_0.JPG"):
        catalog = sop(tmp_path, allow_partial=True)
    assert len(catalog) == 4
    assert catalog.class_names == ("1", "11319")
    assert catalog.splits == ("train", "train", "test", "test")
    assert all(catalog.path(i).is_file() for i in range(4))


def test_a_copy_with_the_published_counts_is_complete(tmp_path):
    official(tmp_path)
    whole = replace(SOP, published=(Published("train", 3, 2), Published("test", 2, 1)))
    assert whole.report(tmp_path).ok
    assert len(whole.load(tmp_path)) == 5
    assert not replace(whole, published=(Published("train", 3, 3),)).report(tmp_path).ok


def test_folders_are_listed_once_each_and_files_not_asked_for(tmp_path, monkeypatch):
    rows = "".join(f"{i} {i // 2} 1 bicycle_final/{i}.JPG\n" for i in range(500))
    write_lists(tmp_path, train=rows)
    write_pictures(tmp_path)
    listed, asked = [], []
    listdir, stat = os.listdir, os.stat
    monkeypatch.setattr(os, "listdir", lambda path: (listed.append(path), listdir(path))[1])
    monkeypatch.setattr(os, "stat", lambda *a, **k: (asked.append(a), stat(*a, **k))[1])
    read(tmp_path)
    assert len(listed) == 2  # the root, and the one super class
    assert len(asked) < 20
