"""Stanford Online Products (Song et al. 2016, arXiv 1511.06452): 22,634 articles on sale."""

import os
import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from lookalike.data.benchmarks.benchmark import Benchmark, Found, Published
from lookalike.data.benchmarks.layouts import Layout, has, read_layout
from lookalike.data.benchmarks.lists import ListFormat, read_list
from lookalike.data.benchmarks.read import load
from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.entries import Entry

LISTS = {"train": "Ebay_train.txt", "test": "Ebay_test.txt"}
FORMAT = ListFormat(
    header="image_id class_id super_class_id path",
    row=re.compile(
        r"[0-9]+\s+(?P<label>[0-9]+)\s+[0-9]+\s+(?P<path>(?P<folder>[^\s/]+)/(?P<file>[^\s/]+))"
    ),
    example="1 1 1 bicycle_final/111085122871_0.JPG",
)
SUFFIX = "_final"  # of the official folders; other trees leave it out


def sop(root: str | Path, *, allow_partial: bool = False) -> Catalog:
    """Read Stanford Online Products: a class is an article, photographed by its seller.

    Args:
        root: `Stanford_Online_Products` with its lists, a tree of `Info_Files` and `images`, or
            the folder that holds one of them.
        allow_partial: Warn of what is missing, and use what is there.

    Raises:
        CatalogError: No known layout, bad lines, files missing or counts not the published ones.
    """
    return load(SOP, root, allow_partial=allow_partial)


def _find(root: Path, closed_set: bool) -> Found:
    return read_layout(SOP.title, root, LAYOUTS, closed_set=closed_set)


def _is_official(folder: Path) -> bool:
    # A folder that holds the lists alone belongs to the other tree.
    return has(LISTS["train"])(folder) and any(child.is_dir() for child in folder.iterdir())


def _read(layout: str, lists: str, pictures: str, base: Path, closed_set: bool) -> Found:
    root = base / pictures
    folders: dict[str, _Folder] = {}
    kinds: Counter[str] = Counter()
    entries = []
    for part, file in LISTS.items():
        for line, row in read_list(base / lists / file, FORMAT):
            name = row["folder"]
            if name not in folders:
                folders[name] = _Folder(root, name)
            kinds[name.removesuffix(SUFFIX)] += 1
            entries.append(Entry(folders[name].path(row["file"]), row["label"], line, part))
    counts = ", ".join(f"{kind} {count:,}" for kind, count in sorted(kinds.items()))
    return Found(layout, root, tuple(entries), notes=(f"listed by super class: {counts}",))


class _Folder:
    """The pictures of one super class, found however the folder and the suffixes are spelled."""

    def __init__(self, root: Path, name: str) -> None:
        bare = name.removesuffix(SUFFIX)
        spellings = (name, bare, bare + SUFFIX)
        self._name = next((each for each in spellings if (root / each).is_dir()), name)
        there = root / self._name
        self._files = {each.lower(): each for each in os.listdir(there)} if there.is_dir() else {}

    def path(self, file: str) -> str:
        """Return where a picture is, as spelled on disk; as listed if it is not there."""
        return f"{self._name}/{self._files.get(file.lower(), file)}"


def _layout(name: str, fits: Callable[[Path], bool], *, lists: str, pictures: str) -> Layout:
    return Layout(name, fits, partial(_read, name, lists, pictures))


LAYOUTS = (
    _layout("official tree (Ebay_train.txt, bicycle_final/)", _is_official, lists="", pictures=""),
    _layout(
        "online_products tree (Info_Files/Ebay_train.txt, images/)",
        has("Info_Files/Ebay_train.txt", "images"),
        lists="Info_Files",
        pictures="images",
    ),
)

SOP = Benchmark(
    title="Stanford Online Products",
    published=(Published("train", 59_551, 11_318), Published("test", 60_502, 11_316)),
    read=_find,
    source=(
        "Stanford_Online_Products.zip, pictures from eBay, described by Song et al. 2016 (arXiv "
        "1511.06452); see there for its terms"
    ),
)
