"""Stanford Online Products (Song et al. 2016, arXiv 1511.06452): 22,634 articles on sale."""

import os
import re
from collections import Counter
from functools import cache, partial
from pathlib import Path

from lookalike.data.benchmarks.benchmark import Benchmark, Published
from lookalike.data.benchmarks.layouts import Layout, LayoutContents, has
from lookalike.data.benchmarks.text_lists import ListFormat, read_list
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
        allow_partial: As in `Benchmark.load`; so are the errors.
    """
    return SOP.load(root, allow_partial=allow_partial)


def _is_official(folder: Path) -> bool:
    # A folder that holds nothing but the lists belongs to the other tree.
    return has(LISTS["train"])(folder) and any(child.is_dir() for child in folder.iterdir())


def _read(lists: str, pictures_in: str, base: Path, closed_set: bool) -> LayoutContents:
    pictures = base / pictures_in

    @cache
    def on_disk(folder: str) -> tuple[str, dict[str, str]]:
        """Find a folder however it is spelled, and its files by their names in lower case."""
        bare = folder.removesuffix(SUFFIX)
        spellings = (folder, bare, bare + SUFFIX)
        name = next((each for each in spellings if (pictures / each).is_dir()), folder)
        there = pictures / name
        return name, {file.lower(): file for file in os.listdir(there)} if there.is_dir() else {}

    super_classes: Counter[str] = Counter()
    entries = []
    for split, list_name in LISTS.items():
        for line, row in read_list(base / lists / list_name, FORMAT):
            folder, files = on_disk(row["folder"])
            path = f"{folder}/{files.get(row['file'].lower(), row['file'])}"
            entries.append(Entry(path, row["label"], line, split))
            super_classes[row["folder"].removesuffix(SUFFIX)] += 1
    counts = ", ".join(f"{name} {count:,}" for name, count in sorted(super_classes.items()))
    note = f"listed by super class: {counts}"
    return LayoutContents(pictures, tuple(entries), notes=(note,))


SOP = Benchmark(
    title="Stanford Online Products",
    published=(Published("train", 59_551, 11_318), Published("test", 60_502, 11_316)),
    layouts=(
        Layout(
            "official tree (Ebay_train.txt, bicycle_final/)", _is_official, partial(_read, "", "")
        ),
        Layout(
            "online_products tree (Info_Files/Ebay_train.txt, images/)",
            has("Info_Files/Ebay_train.txt", "images"),
            partial(_read, "Info_Files", "images"),
        ),
    ),
    source=(
        "Stanford_Online_Products.zip, pictures from eBay, described by Song et al. 2016 (arXiv "
        "1511.06452); see there for its terms"
    ),
)
