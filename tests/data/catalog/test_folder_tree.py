import os
from pathlib import Path

import numpy as np
import pytest

from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.folder_tree import read_tree
from lookalike.errors import CatalogError


def plant(root: Path, *files: str) -> Path:
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return root


def labelled(catalog: Catalog) -> dict[str, str]:
    return {catalog.paths[i]: catalog.class_name(i) for i in range(len(catalog))}


def test_class_is_the_first_folder_and_pictures_lie_anywhere_below(tmp_path):
    plant(tmp_path, "dog/1.jpg", "cat/deep/er/2.PNG", "cat/1.webp")
    catalog = Catalog.from_folder(tmp_path)
    assert labelled(catalog) == {
        "cat/1.webp": "cat",
        "cat/deep/er/2.PNG": "cat",
        "dog/1.jpg": "dog",
    }
    assert catalog.splits == catalog.roles == (None,) * 3
    np.testing.assert_array_equal(catalog.rows, [0, 1, 2])


def test_every_known_suffix_in_either_case(tmp_path):
    known = ["jpg", "jpeg", "png", "webp", "gif", "bmp", "tif", "tiff", "JPG", "TiFF"]
    plant(tmp_path, *(f"cat/{i}.{suffix}" for i, suffix in enumerate(known)))
    plant(tmp_path, "cat/notes.txt", "cat/clip.mp4", "cat/jpg", "cat/a.jpg.bak")
    tree = read_tree(tmp_path)
    assert len(tree.entries) == len(known)
    assert tree.others == ["cat/a.jpg.bak", "cat/clip.mp4", "cat/jpg", "cat/notes.txt"]


def test_junk_is_no_class_and_no_picture(tmp_path):
    plant(tmp_path, "cat/1.jpg", "cat/._1.jpg", "cat/Thumbs.db", "cat/.hidden/2.jpg")
    plant(tmp_path, ".DS_Store", "__MACOSX/cat/1.jpg", ".ipynb_checkpoints/cat/1.jpg", ".git/x.png")
    tree = read_tree(tmp_path)
    assert [entry.path for entry in tree.entries] == ["cat/1.jpg"]
    assert tree.empty == []
    assert set(tree.junk) == {
        "cat/._1.jpg", "cat/Thumbs.db", "cat/.hidden",
        ".DS_Store", "__MACOSX", ".ipynb_checkpoints", ".git",
    }  # fmt: skip


def test_empty_classes_and_stray_pictures_are_reported_not_used(tmp_path):
    plant(tmp_path, "cat/1.jpg", "void/notes.txt", "loose.png")
    (tmp_path / "hollow" / "inner").mkdir(parents=True)
    tree = read_tree(tmp_path)
    assert tree.empty == ["hollow", "void"]
    assert tree.stray == ["loose.png"]
    assert Catalog.from_folder(tmp_path).class_names == ("cat",)


def test_split_and_role_folders(tmp_path):
    plant(tmp_path, "train/cat/1.jpg", "val/cat/2.jpg", "Test/eel/3.jpg", "query/dog/4.jpg")
    plant(tmp_path, "gallery/dog/5.jpg", ".cache/x/1.jpg", "README.txt", "train/loose.jpg")
    catalog = Catalog.from_folder(tmp_path)
    found = {
        path: (catalog.class_name(i), catalog.splits[i], catalog.roles[i])
        for i, path in enumerate(catalog.paths)
    }
    assert found == {
        "train/cat/1.jpg": ("cat", "train", None),
        "val/cat/2.jpg": ("cat", "val", None),
        "Test/eel/3.jpg": ("eel", "test", None),
        "query/dog/4.jpg": ("dog", "test", "query"),
        "gallery/dog/5.jpg": ("dog", "test", "gallery"),
    }
    assert read_tree(tmp_path).stray == ["train/loose.jpg"]


def test_train_is_a_class_when_it_stands_beside_one(tmp_path):
    plant(tmp_path, "train/1.jpg", "bus/1.jpg")
    catalog = Catalog.from_folder(tmp_path)
    assert catalog.class_names == ("bus", "train")
    assert catalog.split_names == ()


HOSTILE = [
    "with space", "#hash", "100%", "quo\"te'", "new\nline", "accént", "e\u0301", "猫", "🐈\u200d⬛",
    "-dash", "a\\b", "semi;colon", "$(x)", "~", "nan", "x" * 200,
]  # fmt: skip


def test_hostile_names_are_classes_like_any_other(tmp_path):
    plant(tmp_path, *(f"{name}/{name}.jpg" for name in HOSTILE))
    catalog = Catalog.from_folder(tmp_path)
    assert catalog.class_names == tuple(sorted(HOSTILE))
    assert all(catalog.path(i).is_file() for i in range(len(catalog)))


def test_names_that_are_not_unicode(tmp_path):
    folder = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(folder)
    with open(folder + b"/1.jpg", "wb"):
        pass
    catalog = Catalog.from_folder(tmp_path)
    assert catalog.class_names == ("caf\udce9",)
    assert catalog.path(0).is_file()


def test_order_is_that_of_the_bytes(tmp_path):
    plant(tmp_path, "b/10.jpg", "b/9.jpg", "B/1.jpg", "b c/1.jpg", "é/1.jpg", "b/é.jpg", "b/z.jpg")
    assert Catalog.from_folder(tmp_path).paths == (
        "B/1.jpg", "b c/1.jpg", "b/10.jpg", "b/9.jpg", "b/z.jpg", "b/é.jpg", "é/1.jpg",
    )  # fmt: skip


def test_links_to_files_keep_the_class_of_the_path_given(tmp_path):
    plant(tmp_path, "cat/1.jpg", "store/any.jpg")
    (tmp_path / "dog").mkdir()
    (tmp_path / "dog" / "linked.jpg").symlink_to(tmp_path / "cat" / "1.jpg")
    (tmp_path / "dog" / "dangling.jpg").symlink_to(tmp_path / "nowhere.jpg")
    (tmp_path / "dog" / "itself.jpg").symlink_to(tmp_path / "dog" / "itself.jpg")
    found = labelled(Catalog.from_folder(tmp_path))
    assert found["dog/linked.jpg"] == "dog"
    assert found["dog/dangling.jpg"] == "dog"  # kept, so that reading it names it
    assert found["dog/itself.jpg"] == "dog"


def test_linked_folders_are_followed_and_circles_are_not(tmp_path):
    root, store = tmp_path / "root", tmp_path / "store"
    plant(store, "eel/1.jpg")
    plant(root, "cat/1.jpg", "dog/in/1.jpg")
    (root / "eel").symlink_to(store / "eel")
    (root / "cat" / "up").symlink_to(root)  # through it, dogs would become cats
    (root / "cat" / "self").symlink_to(root / "cat")
    (root / "dog" / "more").symlink_to(store / "eel")  # another class may hold it too
    (root / "dog" / "again").symlink_to(root / "dog" / "in")
    tree = read_tree(root)
    assert {entry.path: entry.label for entry in tree.entries} == {
        "cat/1.jpg": "cat",
        "dog/again/1.jpg": "dog",
        "dog/more/1.jpg": "dog",
        "eel/1.jpg": "eel",
    }
    assert set(tree.loops) == {"cat/up", "cat/self", "dog/in"}


def test_a_folder_that_may_not_be_read_is_an_error(tmp_path, monkeypatch):
    plant(tmp_path, "cat/1.jpg", "dog/1.jpg")
    scandir = os.scandir

    def guarded(path: str) -> object:
        if path.endswith("dog"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", guarded)
    assert read_tree(tmp_path).unreadable == ["dog"]
    with pytest.raises(CatalogError, match="cannot look into dog"):
        Catalog.from_folder(tmp_path)


def test_roots_that_cannot_be_catalogs(tmp_path):
    with pytest.raises(CatalogError, match="nowhere: no such folder"):
        Catalog.from_folder(tmp_path / "nowhere")
    with pytest.raises(CatalogError, match=r"f\.jpg: not a folder"):
        Catalog.from_folder(plant(tmp_path, "f.jpg") / "f.jpg")
    with pytest.raises(CatalogError, match=r"no pictures in class folders; expected CLASS/PICTURE"):
        Catalog.from_folder(tmp_path)
