"""In-Shop Clothes Retrieval of DeepFashion (Liu et al. 2016, CVPR): queries against a gallery."""

import re
from functools import partial
from pathlib import Path

from lookalike.data.benchmarks.benchmark import Benchmark, Published
from lookalike.data.benchmarks.layouts import Layout, LayoutContents, has
from lookalike.data.benchmarks.text_lists import ListFormat, read_list
from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.entries import Box, Entry
from lookalike.errors import CatalogError

PARTITION, BOXES = "list_eval_partition.txt", "list_bbox_inshop.txt"
PARTITION_FORMAT = ListFormat(
    header="image_name item_id evaluation_status",
    row=re.compile(r"(?P<path>img/\S+)\s+(?P<item>\S+)\s+(?P<status>train|query|gallery)"),
    example="img/WOMEN/Dresses/id_00000002/02_1_front.jpg id_00000002 train",
    counted=True,
)
BOX_FORMAT = ListFormat(
    header="image_name clothes_type pose_type x_1 y_1 x_2 y_2",
    row=re.compile(r"(?P<path>img/\S+)\s+[0-9]+\s+[0-9]+" + r"\s+([0-9]+)" * 4),
    example="img/WOMEN/Dresses/id_00000002/02_1_front.jpg 1 1 050 049 208 235",
    counted=True,
)
STATUSES = {"train": ("train", None), "query": ("test", "query"), "gallery": ("test", "gallery")}
"""Split and role of each evaluation status."""


def inshop(root: str | Path, *, allow_partial: bool = False) -> Catalog:
    """Read In-Shop Clothes Retrieval: a class is an item of the shop, by its id in the list.

    Test pictures have the role "query" or "gallery". Boxes are read if the pictures are the
    256×256 ones that they belong to.

    Args:
        root: `In-shop Clothes Retrieval Benchmark`, another tree with the list of the partition
            and the pictures, or the folder that holds one of them.
        allow_partial: As in `Benchmark.load`; so are the errors.
    """
    return INSHOP.load(root, allow_partial=allow_partial)


def _read(partition: str, pictures: str, base: Path, closed_set: bool) -> LayoutContents:
    boxes, notes = _boxes(base, pictures)
    entries = []
    for line, row in read_list(base / partition, PARTITION_FORMAT):
        path = pictures + row["path"].removeprefix("img")
        split, role = STATUSES[row["status"]]
        # One item can be in the folders of several categories, so the id is its class.
        entries.append(Entry(path, row["item"], line, split, role, box=boxes.get(row["path"])))
    return LayoutContents(base, tuple(entries), notes=notes)


def _boxes(base: Path, pictures: str) -> tuple[dict[str, Box], tuple[str, ...]]:
    """Read the boxes by the paths in the list, and say what was left out."""
    places = (base / folder / BOXES for folder in ("Anno", "Eval", "."))
    path = next((place for place in places if place.is_file()), None)
    if pictures.endswith("img_highres"):
        notes = ["the pictures are those of img_highres.zip; img.zip has those made for retrieval"]
        if path is not None:
            notes.append(f"the boxes of {BOXES} belong to the pictures of img.zip and are left out")
        return {}, tuple(notes)
    boxes: dict[str, Box] = {}
    flat = 0
    for _, row in read_list(path, BOX_FORMAT) if path is not None else ():
        left, top, right, bottom = map(float, row.groups()[1:])
        if right > left and bottom > top:
            boxes[row["path"]] = (left, top, right, bottom)
        else:
            flat += 1
    return boxes, (f"{flat:,} boxes have no area and are left out",) if flat else ()


def _layout(title: str, partition: str, pictures: str) -> Layout:
    name = f"{title} ({partition}, {pictures}/)"
    return Layout(name, has(partition, pictures), partial(_read, partition, pictures))


def _packed(partition: str, archive: str) -> Layout:
    """Return a layout that is known, but must be unpacked first."""

    def refuse(base: Path, closed_set: bool) -> LayoutContents:
        raise CatalogError(
            f"{base / archive}: not unpacked; unpack it in {(base / archive).parent}"
        )

    return Layout(f"not unpacked ({partition}, {archive})", has(partition, archive), refuse)


INSHOP = Benchmark(
    title="In-Shop Clothes Retrieval",
    published=(
        Published("train", 25_882, 3_997),
        Published("query", 14_218, 3_985),
        Published("gallery", 12_612, 3_985),
    ),
    layouts=(
        _layout("official tree", f"Eval/{PARTITION}", "Img/img"),
        _layout("lists in Eval", f"Eval/{PARTITION}", "img"),
        _layout("lists beside the pictures", PARTITION, "img"),
        _layout("official tree, large pictures", f"Eval/{PARTITION}", "Img/img_highres"),
        _layout("lists beside large pictures", PARTITION, "img_highres"),
        _packed(f"Eval/{PARTITION}", "Img/img.zip"),
        _packed(f"Eval/{PARTITION}", "img.zip"),
        _packed(PARTITION, "img.zip"),
    ),
    source=(
        "the In-shop Clothes Retrieval Benchmark of DeepFashion (Liu et al. 2016, CVPR): "
        "Img/img.zip with the folders Anno and Eval; for non-commercial research and education only"
    ),
)
