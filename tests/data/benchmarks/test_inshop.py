"""In-Shop Clothes Retrieval on miniatures in its real formats."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lookalike.data.benchmarks.benchmark import Published
from lookalike.data.benchmarks.inshop import INSHOP, inshop
from lookalike.data.benchmarks.layouts import LayoutContents, read_layout
from lookalike.errors import CatalogError

ROWS = [
    ("img/WOMEN/Dresses/id_00000002/02_1_front.jpg", "id_00000002", "train"),
    ("img/WOMEN/Dresses/id_00000002/02_2_side.jpg", "id_00000002", "train"),
    ("img/WOMEN/Blouses_Shirts/id_00000001/02_1_front.jpg", "id_00000001", "gallery"),
    ("img/WOMEN/Blouses_Shirts/id_00000001/02_2_side.jpg", "id_00000001", "query"),
    ("img/MEN/Denim/id_00000080/01_7_additional.jpg", "id_00000080", "gallery"),
    # The same item again in another category's folder:
    ("img/MEN/Pants/id_00000080/01_1_front.jpg", "id_00000080", "query"),
]
WHOLE = (Published("train", 2, 1), Published("query", 2, 2), Published("gallery", 2, 2))


def partition(rows: list[tuple[str, str, str]], *, count: int | None = None) -> str:
    lines = [f"{path:<70} {item:<12} {part}      " for path, item, part in rows]
    head = [str(len(rows) if count is None else count), "image_name item_id evaluation_status"]
    return "\n".join([*head, *lines, ""])


def boxes(rows: list[tuple[str, str, str]]) -> str:
    lines = [f"{path:<70} 1 2 0{50 + i} 049 208 235" for i, (path, _, _) in enumerate(rows)]
    header = "image_name clothes_type pose_type x_1 y_1 x_2 y_2"
    return "\n".join([str(len(rows)), header, *lines, ""])


def write(path: Path, text: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def plant(base: Path, lists: str, pictures: str, *, anno: str | None = None) -> Path:
    write(base / lists / "list_eval_partition.txt", partition(ROWS))
    if anno is not None:
        write(base / anno / "list_bbox_inshop.txt", boxes(ROWS))
    for path, _, _ in ROWS:
        write(base / pictures / path.removeprefix("img/"))
    return base


def read(root: Path) -> LayoutContents:
    return read_layout(INSHOP.title, root, INSHOP.layouts, closed_set=False)


LAYOUTS = [
    ("In-shop Clothes Retrieval Benchmark", "Eval", "Img/img", "Anno", "official tree"),
    ("Inshop_Clothes", "Eval", "Img/img", None, "official tree"),
    ("inshop", "Eval", "img", "Anno", "lists in Eval"),
    ("deepfashion", "", "img", "", "lists beside the pictures"),
    ("DeepFashion_InShop", "", "img_highres", "", "lists beside large pictures"),
    ("fashion", "Eval", "Img/img_highres", "Anno", "official tree, large pictures"),
]


@pytest.mark.parametrize("above", [True, False])
@pytest.mark.parametrize(("name", "lists", "pictures", "anno", "layout"), LAYOUTS)
def test_every_layout(tmp_path, name, lists, pictures, anno, layout, above):
    base = plant(tmp_path / name, lists, pictures, anno=anno)
    found = read(tmp_path if above else base)
    assert found.layout.startswith(f"{layout} (")
    assert found.root == base
    assert all((found.root / entry.path).is_file() for entry in found.entries)
    assert [entry.label for entry in found.entries] == [item for _, item, _ in ROWS]
    assert [(entry.split, entry.role) for entry in found.entries] == [
        ("train", None), ("train", None), ("test", "gallery"), ("test", "query"),
        ("test", "gallery"), ("test", "query"),
    ]  # fmt: skip
    boxed = anno is not None and "highres" not in pictures
    first = (50.0, 49.0, 208.0, 235.0)
    assert found.entries[0].box == (first if boxed else None)
    left_out = (
        "the boxes of list_bbox_inshop.txt belong to the pictures of img.zip and are left out"
    )
    assert (left_out in found.notes) is ("highres" in pictures)


def test_boxes_belong_to_their_picture_whatever_the_order(tmp_path):
    base = plant(tmp_path, "Eval", "Img/img", anno="Anno")
    write(base / "Anno" / "list_bbox_inshop.txt", boxes(ROWS[:1:-1]))
    found = read(tmp_path)
    lefts = [None if entry.box is None else entry.box[0] for entry in found.entries]
    assert lefts == [None, None, 53.0, 52.0, 51.0, 50.0]


def test_boxes_without_area_are_left_out_and_counted(tmp_path):
    base = plant(tmp_path, "Eval", "Img/img", anno="Anno")
    write(base / "Anno" / "list_bbox_inshop.txt", boxes(ROWS).replace("052 049 208", "208 049 208"))
    found = read(tmp_path)
    assert [entry.box is None for entry in found.entries] == [False, False, True] + [False] * 3
    assert found.notes == ("1 boxes have no area and are left out",)


def test_an_item_in_two_categories_is_one_class(tmp_path):
    plant(tmp_path, "Eval", "Img/img")
    catalog = replace(INSHOP, published=WHOLE).load(tmp_path)
    test = catalog.split("test")
    assert len(test.classes) == 2
    men = [i for i in range(len(test)) if "MEN/Denim" in test.paths[i] or "/Pants" in test.paths[i]]
    assert {test.class_name(i) for i in men} == {"id_00000080"}
    assert {test.roles[i] for i in men} == {"query", "gallery"}


def test_the_pictures_made_for_retrieval_are_preferred(tmp_path):
    plant(tmp_path, "", "img_highres", anno="")
    plant(tmp_path, "", "img", anno="")
    found = read(tmp_path)
    assert found.entries[0].path == "img/WOMEN/Dresses/id_00000002/02_1_front.jpg"
    assert found.entries[0].box is not None


@pytest.mark.parametrize(
    ("lists", "archive"), [("Eval", "Img/img.zip"), ("Eval", "img.zip"), ("", "img.zip")]
)
def test_a_packed_archive_is_to_be_unpacked(tmp_path, lists, archive):
    write(tmp_path / lists / "list_eval_partition.txt", partition(ROWS))
    write(tmp_path / archive)
    with pytest.raises(CatalogError, match="not unpacked; unpack it in") as caught:
        inshop(tmp_path)
    assert str(tmp_path / archive) in str(caught.value)


def test_no_lists_is_no_layout(tmp_path):
    write(tmp_path / "img" / "WOMEN" / "a.jpg")
    with pytest.raises(CatalogError, match=r"no known layout .*\n.*list_eval_partition\.txt"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("img/MEN/Denim/id_1/a.jpg id_1 val", "line 4: expected a row like 'img/WOMEN/Dresses/"),
        ("img/MEN/Denim/id_1/a.jpg train", "line 4: expected a row like"),
        ("MEN/Denim/id_1/a.jpg id_1 train", "line 4: expected a row like"),
        ("img/MEN/Denim/id_1/a.jpg id_1 train now", "line 4: expected a row like"),
        (f"{ROWS[0][0]} id_9 query", "line 4: the picture of line 3 again"),
    ],
)
def test_bad_lines_of_the_partition_are_named(tmp_path, line, words):
    plant(tmp_path, "Eval", "Img/img")
    text = partition(ROWS).splitlines()
    write(tmp_path / "Eval" / "list_eval_partition.txt", "\n".join([*text[:3], line, *text[4:]]))
    with pytest.raises(CatalogError, match=words) as caught:
        read(tmp_path)
    assert str(tmp_path / "Eval" / "list_eval_partition.txt") in str(caught.value)


@pytest.mark.parametrize("row", ["1 2 050 049 208", "1 2 050 049 208 x", "1 2 -50 049 208 235"])
def test_bad_lines_of_the_boxes_are_named(tmp_path, row):
    plant(tmp_path, "Eval", "Img/img")
    header = "image_name clothes_type pose_type x_1 y_1 x_2 y_2"
    write(tmp_path / "Anno" / "list_bbox_inshop.txt", f"1\n{header}\n{ROWS[0][0]} {row}\n")
    with pytest.raises(CatalogError, match=r"inshop\.txt: bad rows: 1\n  line 3: expected a row"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (partition(ROWS, count=52712), "line 1 says that 52712 rows follow, found 6"),
        (partition(ROWS).removeprefix("6\n"), "line 1: expected the number of rows alone, found"),
        (partition(ROWS).replace("item_id", "item"), "line 2: expected 'image_name item_id eval"),
        ("", "line 1: expected the number of rows alone, found ''"),
        ("6\n", "line 1: expected 'image_name"),
    ],
)
def test_count_and_header_of_the_partition(tmp_path, text, words):
    plant(tmp_path, "Eval", "Img/img")
    write(tmp_path / "Eval" / "list_eval_partition.txt", text)
    with pytest.raises(CatalogError, match=words):
        read(tmp_path)


def test_counts_that_are_not_the_published_ones_are_refused(tmp_path):
    plant(tmp_path, "Eval", "Img/img")
    with pytest.raises(CatalogError) as caught:
        inshop(tmp_path)
    message = str(caught.value)
    assert "train: expected 25,882 images of 3,997 classes, found 2 images of 1 classes" in message
    assert "query: expected 14,218 images of 3,985 classes, found 2 images of 2" in message
    assert "gallery: expected 12,612 images of 3,985 classes, found 2 images of 2" in message
    with pytest.warns(UserWarning, match="not the In-Shop"):
        assert len(inshop(tmp_path, allow_partial=True)) == 6


def test_missing_files_are_named_and_left_out_if_allowed(tmp_path):
    plant(tmp_path, "Eval", "Img/img", anno="Anno")
    (tmp_path / "Img" / "img" / "MEN" / "Pants" / "id_00000080" / "01_1_front.jpg").unlink()
    benchmark = replace(INSHOP, published=WHOLE)
    told = benchmark.report(tmp_path)
    assert told.missing == ("Img/img/MEN/Pants/id_00000080/01_1_front.jpg",)
    assert [part.ok for part in told.parts] == [True, False, True]
    assert told.boxes == 5
    with pytest.raises(CatalogError, match=r"not there: 1 .*01_1_front"):
        benchmark.load(tmp_path)
    with pytest.warns(UserWarning, match="query: expected 2 images of 2 classes, found 1"):
        catalog = benchmark.load(tmp_path, allow_partial=True)
    assert len(catalog) == 5
    np.testing.assert_array_equal(catalog.rows, [3, 4, 5, 6, 7])
