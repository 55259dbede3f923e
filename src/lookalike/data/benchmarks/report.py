"""What is there of a benchmark, held against the counts in the literature."""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from lookalike.data.benchmarks.layouts import LayoutContents
from lookalike.data.catalog.entries import Entry
from lookalike.data.catalog.messages import count_and_list
from lookalike.errors import CatalogError


@dataclass(frozen=True, slots=True)
class Published:
    """How many pictures and classes the literature counts in one part of a benchmark.

    Args:
        part: The role of its pictures, or their split where they have no role: "train", "test",
            "query", "gallery".
        images: Pictures.
        classes: Classes.
    """

    part: str
    images: int
    classes: int


@dataclass(frozen=True, slots=True)
class SplitCount:
    """What is there of one part of a benchmark, beside the counts in the literature.

    Args:
        part: As in `Published`.
        images: Pictures whose files are there.
        classes: Their classes.
        published_images: Pictures in the literature.
        published_classes: Classes in the literature.
    """

    part: str
    images: int
    classes: int
    published_images: int
    published_classes: int

    @property
    def ok(self) -> bool:
        """Whether both counts are the published ones."""
        return (self.images, self.classes) == (self.published_images, self.published_classes)

    def __str__(self) -> str:
        found = f"{self.images:,} images of {self.classes:,} classes"
        if self.ok:
            return f"{self.part}: {found}, as published"
        expected = f"{self.published_images:,} images of {self.published_classes:,} classes"
        return f"{self.part}: expected {expected}, found {found}"


@dataclass(frozen=True, slots=True)
class BenchmarkReport:
    """What is there of a benchmark, as `lookalike data prepare` prints it.

    Args:
        name: The benchmark's name.
        layout: The layout found.
        root: The folder that has this layout.
        parts: Counts of each part.
        missing: Files that are listed but not there.
        boxes: Pictures with a box.
        keypoint_names: The keypoints that were read; empty if there are none.
        notes: What to know about this copy, one sentence each.
    """

    name: str
    layout: str
    root: str
    parts: tuple[SplitCount, ...]
    missing: tuple[str, ...]
    boxes: int
    keypoint_names: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is missing and all counts are the published ones."""
        return not self.missing and all(part.ok for part in self.parts)

    def lines(self) -> list[str]:
        """Return the report for people, one line each."""
        return [
            f"{self.name}: {self.layout} in {self.root}",
            *(f"  {part}" for part in self.parts),
            *self._missing(),
            f"  boxes: {f'{self.boxes:,} pictures' if self.boxes else 'none'}",
            f"  keypoints: {', '.join(self.keypoint_names) or 'none'}",
            *self._notes(),
        ]

    def refusal(self) -> str:
        """Return what differs from the literature, for an error or a warning."""
        lines = [
            f"{self.root}: not the {self.name} of the literature; layout: {self.layout}",
            *(f"  {part}" for part in self.parts if not part.ok),
            *self._missing(),
            *self._notes(),
        ]
        return "\n".join(lines)

    def _missing(self) -> list[str]:
        return [f"  listed, but not there: {count_and_list(self.missing)}"] if self.missing else []

    def _notes(self) -> list[str]:
        return [f"  note: {note}" for note in self.notes]

    def to_dict(self) -> dict[str, Any]:
        """Return the report for machines, ready for JSON."""
        return {**asdict(self), "ok": self.ok}


def compare(
    title: str, contents: LayoutContents, published: Sequence[Published]
) -> tuple[BenchmarkReport, list[Entry]]:
    """Look for the files that a layout lists, and count those that are there.

    Args:
        title: The benchmark's name.
        contents: What the layout lists.
        published: What the literature counts, one for each part.

    Returns:
        The report, and the entries whose files are there.
    """
    present, missing, hidden = _on_disk(contents)
    notes = contents.notes
    if hidden:
        notes += (f'"._*" files of another system, passed over: {hidden:,}',)
    report = BenchmarkReport(
        name=title,
        layout=contents.layout,
        root=str(contents.root),
        parts=tuple(_count(part, present) for part in published),
        missing=tuple(missing),
        boxes=sum(entry.box is not None for entry in present),
        keypoint_names=contents.keypoint_names,
        notes=notes,
    )
    return report, present


def _count(published: Published, entries: Sequence[Entry]) -> SplitCount:
    classes = [entry.label for entry in entries if (entry.role or entry.split) == published.part]
    return SplitCount(
        part=published.part,
        images=len(classes),
        classes=len(set(classes)),
        published_images=published.images,
        published_classes=published.classes,
    )


def _on_disk(contents: LayoutContents) -> tuple[list[Entry], list[str], int]:
    """Split entries by whether their file is there, and count "._*" files beside them."""
    # One listing per folder is many times cheaper than one look for each of 120,000 files.
    names: dict[str, set[str]] = {}
    present: list[Entry] = []
    missing: list[str] = []
    for entry in contents.entries:
        folder, _, name = entry.path.rpartition("/")
        if folder not in names:
            names[folder] = _file_names(os.path.join(contents.root, folder))
        if name in names[folder]:
            present.append(entry)
        else:
            missing.append(entry.path)
    hidden = sum(name.startswith("._") for listing in names.values() for name in listing)
    return present, missing, hidden


def _file_names(folder: str) -> set[str]:
    try:
        return set(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return set()
    except OSError as error:
        raise CatalogError(f"{folder}: cannot look into it: {error.strerror}") from None
