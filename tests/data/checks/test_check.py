import json
import os
import struct
import warnings
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from lookalike.data.addresses import demo_catalog
from lookalike.data.catalog.catalog import Catalog
from lookalike.data.checks.check import check
from lookalike.data.checks.findings import KINDS, CheckFinding, CheckReport
from lookalike.errors import CatalogError


def picture(seed: int = 0, mode: str = "RGB", side: int = 16) -> Image.Image:
    noise = np.random.default_rng(seed).integers(0, 256, (side, side, 3), np.uint8)
    return Image.fromarray(noise).convert(mode)


def save(path: Path, image: Image.Image | None = None, **options: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = image or picture(zlib.crc32(str(path).encode()))
    fresh.save(path, **options)
    return path


@pytest.fixture
def tree(tmp_path):
    """Two classes of four sound pictures: nothing to find."""
    for name in ("cat", "dog"):
        for i in range(4):
            save(tmp_path / name / f"{i}.png")
    return tmp_path


def found(report: CheckReport) -> list[tuple[str, str | None]]:
    return [(finding.kind, finding.path) for finding in report.findings]


def only(report: CheckReport, kind: str) -> CheckFinding:
    assert [finding.kind for finding in report.findings] == [kind]
    return report.findings[0]


def test_a_sound_catalog(tree):
    calls: list[tuple[int, int]] = []
    report = check(tree, progress=lambda done, total: calls.append((done, total)))
    assert report.findings == ()
    assert (report.images, report.classes, report.ok) == (8, 2, True)
    assert calls == [(i, 8) for i in range(1, 9)]


def test_the_demo_is_sound():
    assert check(demo_catalog()).findings == ()


def cut_short(path: Path) -> None:
    data = save(path, picture(side=64), quality=95).read_bytes()
    path.write_bytes(data[: len(data) // 2])


def broken_inside(path: Path) -> None:
    data = bytearray(save(path, picture(side=64)).read_bytes())
    data[700:760] = bytes([255]) * 60
    path.write_bytes(data)


def too_bright(path: Path) -> None:
    Image.fromarray(np.full((8, 8), 7.5, np.float32)).save(path)


def huge(path: Path) -> None:
    """A PNG whose header promises more pixels than Pillow opens."""

    def chunk(name: bytes, content: bytes) -> bytes:
        body = name + content
        return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", 40_000, 40_000, 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", b""))


UNREADABLE = [
    ("truncated", "bad.jpg", cut_short),
    ("undecodable", "bad.jpg", broken_inside),
    ("undecodable", "bad.tif", too_bright),
    ("empty-file", "bad.png", Path.touch),
    ("not-an-image", "bad.jpg", lambda path: path.write_text("<html>not found</html>")),
    ("missing", "bad.png", lambda path: path.symlink_to("nowhere.png")),
    ("missing", "bad.png", lambda path: path.symlink_to("bad.png")),
    ("not-a-file", "bad.png", os.mkfifo),
    ("too-large", "bad.png", huge),
]


@pytest.mark.parametrize(("kind", "name", "make"), UNREADABLE)
def test_a_picture_that_cannot_be_read(tree, kind, name, make):
    make(tree / "cat" / name)
    report = check(tree)
    finding = only(report, kind)
    assert finding.path == f"cat/{name}"
    assert not report.ok
    assert report.images == 9


def test_a_limit_of_ones_own(tree):
    save(tree / "cat" / "wide.png", picture(side=40))
    assert only(check(tree, max_pixels=40 * 39), "too-large").path == "cat/wide.png"


def test_no_permission(tree, monkeypatch):
    image_open = Image.open

    def guarded(path: object, *rest: object) -> Image.Image:
        if str(path).endswith("dog/1.png"):
            raise PermissionError(13, "Permission denied")
        return image_open(path)

    monkeypatch.setattr(Image, "open", guarded)
    assert only(check(tree), "permission").path == "dog/1.png"


def test_a_folder_that_may_not_be_looked_into(tree, monkeypatch):
    save(tree / "eel" / "1.png")
    scandir = os.scandir

    def guarded(path: str) -> object:
        if path.endswith("eel"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", guarded)
    assert ("permission", "eel") in found(check(tree))


def rotated(path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    save(path, exif=exif)


def deep(path: Path) -> None:
    Image.fromarray(np.arange(256, dtype=np.uint16).reshape(16, 16) * 257).save(path)


def clear_palette(path: Path) -> None:
    save(path, picture(mode="P"), transparency=3)


PECULIAR = {
    "wrong-extension": ("odd.jpg", lambda path: save(path, format="PNG")),
    "animated": (
        "odd.gif",
        lambda path: save(path, picture(1), save_all=True, append_images=[picture(2)]),
    ),
    "rotated": ("odd.jpg", rotated),
    "cmyk": ("odd.jpg", lambda path: save(path, picture(mode="CMYK"))),
    "deep-colour": ("odd.png", deep),
    "alpha": ("odd.png", clear_palette),
}


@pytest.mark.parametrize("kind", PECULIAR)
def test_a_picture_that_is_unusual(tree, kind):
    name, make = PECULIAR[kind]
    make(tree / "cat" / name)
    report = check(tree)
    assert only(report, kind).path == f"cat/{name}"
    assert report.ok


def test_a_phones_jpeg_with_a_preview_inside_is_nothing_unusual(tree):
    path = tree / "cat" / "phone.jpg"
    save(path, picture(1), format="MPO", save_all=True, append_images=[picture(2)])
    with Image.open(path) as image:
        assert (image.format, image.n_frames) == ("MPO", 2)
    assert check(tree).findings == ()


def test_junk_is_counted_and_stray_files_are_named(tree):
    (tree / "cat" / "._0.png").touch()
    (tree / ".DS_Store").touch()
    (tree / "cat" / "notes.txt").touch()
    (tree / "empty").mkdir()
    (tree / "dog" / "up").symlink_to(tree)
    save(tree / "loose.png")
    report = check(tree)
    assert found(report) == [
        ("no-class", "loose.png"),
        ("empty-class", "empty"),
        ("ignored-junk", None),
        ("ignored-file", None),
        ("folder-loop", "dog/up"),
    ]
    messages = {finding.kind: finding.message for finding in report.findings}
    assert "2 (.DS_Store, cat/._0.png)" in messages["ignored-junk"]
    assert "1 (cat/notes.txt)" in messages["ignored-file"]
    assert report.ok


def test_nothing_at_all(tmp_path):
    report = check(tmp_path)
    only(report, "no-images")
    assert (report.images, report.classes, report.ok) == (0, 0, False)


def table(root: Path, *lines: str) -> Path:
    path = root / "catalog.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_bad_rows_are_named_and_the_rest_is_checked(tree):
    report = check(
        table(
            tree,
            "path,label,box",
            "cat/0.png,cat,",
            "cat/1.png,,",
            "cat/0.png,cat,",
            "gone.png,cat,",
            "cat,cat,",
            "dog/0.png,dog,20 0 30 9",
            "dog/1.png,dog,-1 0 16 9",
            "dog/2.png,dog,0 0 16 16",
        )
    )
    rows = [(f.kind, f.path, f.row) for f in report.findings if f.severity != "note"]
    assert rows == [
        ("bad-row", "cat/1.png", 3),
        ("bad-row", "cat/0.png", 4),
        ("missing", "gone.png", 5),
        ("directory", "cat", 6),
        ("box-outside", "dog/0.png", 7),
        ("box-beyond-edge", "dog/1.png", 8),
    ]
    assert report.images == 6
    assert report.lines()[0] == "error: bad-row: cat/1.png, line 3: no label (empty or NaN)"


def test_a_table_that_cannot_be_read(tree):
    path = table(tree, "image,class", "cat/0.png,cat")
    assert "no column path, label" in only(check(path), "bad-catalog").message
    with pytest.raises(CatalogError, match=r"gone\.csv: no such file or folder"):
        check(tree / "gone.csv")


def test_duplicates_say_where_both_are(tree):
    data = (tree / "cat" / "0.png").read_bytes()
    for name in ("cat/9.png", "dog/9.png", "dog/8.png"):
        (tree / name).write_bytes(data)
    lines = [f"{path},{path[:3]},{split}" for path, split in [
        ("cat/0.png", "train"), ("cat/9.png", "train"), ("dog/9.png", "train"),
        ("dog/8.png", "test"), ("dog/1.png", "train"), ("cat/1.png", "train"),
    ]]  # fmt: skip
    report = check(table(tree, "path,label,split", *lines), few=0)
    duplicates = [f for f in report.findings if f.kind.startswith("duplicate")]
    assert [(f.kind, f.path, f.row) for f in duplicates] == [
        ("duplicate-across-splits", "dog/8.png", 5),
        ("duplicate-across-classes", "dog/9.png", 4),
        ("duplicate", "cat/9.png", 3),
    ]
    assert duplicates[0].message == (
        "(class dog, test) has the content of cat/0.png (class cat, train)"
    )


def test_two_boxes_on_one_picture_are_no_duplicates(tree):
    path = table(
        tree, "path,label,box", "cat/0.png,cat,0 0 8 8", "cat/0.png,dog,8 0 16 8",
        "cat/1.png,cat,", "dog/1.png,dog,",
    )  # fmt: skip
    assert check(path, few=0).findings == ()


def test_a_picture_that_is_query_and_gallery(tree):
    (tree / "cat" / "copy.png").write_bytes((tree / "cat" / "0.png").read_bytes())
    path = table(
        tree, "path,label,role", "cat/0.png,cat,query", "cat/copy.png,cat,gallery",
        "dog/0.png,dog,query", "dog/1.png,dog,query",
    )  # fmt: skip
    report = check(path, few=0)
    assert found(report) == [
        ("duplicate-across-splits", "cat/copy.png"),
        ("query-without-match", None),
    ]
    assert report.findings[1].message.endswith("1 (dog)")


def test_classes_and_splits(tree):
    for name in ("Cat", "eel"):
        save(tree / name / "0.png")
    rows = [f"cat/{i}.png,cat,train" for i in range(3)] + ["cat/3.png,cat,test"]
    rows += ["dog/0.png,dog,train", "dog/1.png,dog,train", "eel/0.png,eel,", "Cat/0.png,Cat_,test"]
    report = check(table(tree, "path,label,split", *rows))
    messages = [(finding.kind, finding.message) for finding in report.findings]
    assert [kind for kind, _ in messages] == [
        "shared-classes", "without-split", "single-image-class", "single-image-class",
        "similar-class-names", "small-class",
    ]  # fmt: skip
    assert "1 (cat)" in messages[0][1]
    assert "1 (eel/0.png)" in messages[1][1]
    assert messages[2][1].startswith("classes with one picture")
    assert messages[2][1].endswith("1 (eel)")
    assert messages[3][1].startswith("classes in split test with one picture")
    assert messages[3][1].endswith("2 (Cat_, cat)")
    assert "'Cat_', 'cat'" in messages[4][1]
    assert messages[5][1].endswith("fewer than 4 pictures: 2 (cat, dog)")


def test_one_class(tree):
    assert only(check(Catalog.from_folder(tree).subset(range(4))), "one-class").path is None


def test_every_kind_is_tried_here():
    text = Path(__file__).read_text(encoding="utf-8")
    assert [kind for kind in KINDS if f'"{kind}"' not in text] == []


def test_lines_and_json_hold_one_finding_each(tree):
    for name in ("a\nb.png", "c.png", "d.png"):
        (tree / "cat" / name).touch()
    report = check(tree)
    assert report.lines() == [
        r"error: empty-file: cat/a\nb.png: the file is empty",
        "error: empty-file: cat/c.png: the file is empty",
        "error: empty-file: cat/d.png: the file is empty",
    ]
    assert report.lines(per_kind=1) == [report.lines()[0], "error: empty-file: and 2 more"]
    assert report.lines(per_kind=3) == report.lines()
    data = json.loads(report.to_json())
    assert (data["ok"], data["images"], data["classes"], data["errors"]) == (False, 11, 2, 3)
    assert data["findings"][1] == {
        "kind": "empty-file", "severity": "error", "path": "cat/c.png", "row": 5,
        "message": "the file is empty",
    }  # fmt: skip


def test_a_check_leaves_the_warning_filters_alone(tree):
    before = list(warnings.filters)
    check(tree)
    assert warnings.filters == before
