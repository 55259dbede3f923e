"""Comparing what was found of a benchmark with what the literature counts."""

import os
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from lookalike.data.benchmarks.benchmark import Found, Published
from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.entries import Entry, counted
from lookalike.errors import CatalogError


@dataclass(frozen=True, slots=True)
class PartCount:
    """One part of a benchmark: what is there, and what the literature counts.

    Args:
        part: "train", "test", "query" or "gallery".
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
class Prepared:
    """What is there of a benchmark, as `lookalike data prepare` tells it.

    Args:
        name: What the benchmark is called.
        layout: The layout found.
        root: Where it stands.
        parts: Counts of each part.
        missing: Files that are listed but not there.
        boxes: Pictures with a box.
        keypoint_names: The keypoints that were read along; empty if none.
        notes: What to know of this copy, a sentence each.
    """

    name: str
    layout: str
    root: str
    parts: tuple[PartCount, ...]
    missing: tuple[str, ...]
    boxes: int
    keypoint_names: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is missing and all counts are the published ones."""
        return not self.missing and all(part.ok for part in self.parts)

    def lines(self) -> list[str]:
        """Return the report for people, a line each."""
        keypoints = ", ".join(self.keypoint_names) or "none"
        return [
            f"{self.name}: {self.layout} in {self.root}",
            *(f"  {part}" for part in self.parts),
            *self._missing(),
            f"  boxes: {f'{self.boxes:,} pictures' if self.boxes else 'none'}",
            f"  keypoints: {keypoints}",
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
        return [f"  listed, but not there: {counted(self.missing)}"] if self.missing else []

    def _notes(self) -> list[str]:
        return [f"  note: {note}" for note in self.notes]

    def to_dict(self) -> dict[str, Any]:
        """Return the report for machines, ready for JSON."""
        return {**asdict(self), "ok": self.ok}


def prepared(title: str, found: Found, published: Sequence[Published]) -> Prepared:
    """Look for the files, and compare the counts of those that are there.

    Args:
        title: What the benchmark is called.
        found: What a reader found.
        published: What the literature counts, one for each part.
    """
    return _compare(title, found, published)[0]


def to_catalog(
    title: str, found: Found, published: Sequence[Published], *, allow_partial: bool
) -> Catalog:
    """Put what was found into a catalog, if it is all that the literature counts.

    Args:
        title: What the benchmark is called.
        found: What a reader found.
        published: What the literature counts, one for each part.
        allow_partial: Warn of what is missing instead, and leave out listed files that are not
            there; classes without a picture are left out with them.

    Raises:
        CatalogError: Files are missing or counts differ, and that is not allowed; or there is no
            picture at all.
    """
    report, present = _compare(title, found, published)
    if not present:
        raise CatalogError(f"{report.refusal()}\nNo picture is there: unpack the archive")
    if not report.ok and not allow_partial:
        raise CatalogError(
            f"{report.refusal()}\nUnpack or download it again in full, or allow a partial copy "
            f"(allow_partial=True, --allow-partial) if figures need not be comparable"
        )
    if not report.ok:
        warnings.warn(report.refusal(), stacklevel=4)  # at the caller of `cub`, `cars`, …
    used = {entry.label for entry in present}
    return Catalog.from_entries(
        found.root,
        present,
        class_names=[name for name in found.class_names if name in used] or None,
        keypoint_names=found.keypoint_names,
    )


def _compare(
    title: str, found: Found, published: Sequence[Published]
) -> tuple[Prepared, list[Entry]]:
    present, missing, hidden = _on_disk(found)
    notes = found.notes
    if hidden:
        notes += (f'"._*" files of another system, passed over: {hidden:,}',)
    report = Prepared(
        name=title,
        layout=found.layout,
        root=str(found.root),
        parts=tuple(_count(part, present) for part in published),
        missing=tuple(missing),
        boxes=sum(entry.box is not None for entry in present),
        keypoint_names=found.keypoint_names,
        notes=notes,
    )
    return report, present


def _count(published: Published, entries: Sequence[Entry]) -> PartCount:
    classes = [entry.label for entry in entries if (entry.role or entry.split) == published.part]
    return PartCount(
        part=published.part,
        images=len(classes),
        classes=len(set(classes)),
        published_images=published.images,
        published_classes=published.classes,
    )


def _on_disk(found: Found) -> tuple[list[Entry], list[str], int]:
    """Split entries by whether their file is there, and count "._*" files beside them."""
    # One listing a folder is many times cheaper than one look for each of 120,000 files.
    names: dict[str, set[str]] = {}
    present: list[Entry] = []
    missing: list[str] = []
    for entry in found.entries:
        folder, _, name = entry.path.rpartition("/")
        if folder not in names:
            names[folder] = _listing(os.path.join(found.root, folder))
        if name in names[folder]:
            present.append(entry)
        else:
            missing.append(entry.path)
    hidden = sum(name.startswith("._") for listing in names.values() for name in listing)
    return present, missing, hidden


def _listing(folder: str) -> set[str]:
    try:
        return set(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return set()
    except OSError as error:
        raise CatalogError(f"{folder}: may not look into it: {error.strerror}") from None
