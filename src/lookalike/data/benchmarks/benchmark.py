"""A benchmark of the literature: reading it into a catalog, or reporting what is there of it."""

import os
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lookalike.data.benchmarks.layouts import Layout, LayoutContents, read_layout
from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.entries import Entry, count_and_list
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
        expected = f"{self.published_images:,} images of {self.published_classes:,} classes"
        if self.ok:
            return f"{self.part}: {found}, as published"
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


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark of the literature.

    Args:
        title: Its name, e.g. "CUB-200-2011".
        published: Counts of the class-disjoint split.
        layouts: How its files may be arranged, the most official way first.
        source: Where the pictures come from, and on what terms, in one sentence.
        closed_set: Counts of the official split that has the same classes in both parts; empty
            where there is none.
    """

    title: str
    published: tuple[Published, ...]
    layouts: tuple[Layout, ...]
    source: str
    closed_set: tuple[Published, ...] = ()

    def load(
        self, root: str | Path, *, allow_partial: bool = False, closed_set: bool = False
    ) -> Catalog:
        """Read the benchmark, and refuse it if its counts are not the published ones.

        Args:
            root: The folder that has a known layout, or the folder above it.
            allow_partial: Warn about what is missing, and use what is there: files that are not
                there are left out, and so are classes without a picture.
            closed_set: Split as the data set's authors do for classification, with the same
                classes on both sides, instead of by class.

        Raises:
            CatalogError: No known layout, no closed-set split, no picture at all, or bad lines; or
                files are missing or counts differ, and that is not allowed.
        """
        contents, report, present = self._read(root, closed_set)
        if not present:
            raise CatalogError(f"{report.refusal()}\nNo picture is there: unpack the archive")
        if not report.ok and not allow_partial:
            raise CatalogError(
                f"{report.refusal()}\nUnpack or download it again in full, or allow a partial copy "
                f"(allow_partial=True, --allow-partial) if figures need not be comparable"
            )
        if not report.ok:
            warnings.warn(report.refusal(), stacklevel=3)  # at the caller of `cub`, `cars`, …
        used = {entry.label for entry in present}
        return Catalog.from_entries(
            contents.root,
            present,
            class_names=[name for name in contents.class_names if name in used] or None,
            keypoint_names=contents.keypoint_names,
        )

    def report(self, root: str | Path, *, closed_set: bool = False) -> BenchmarkReport:
        """Say what is there; missing files and wrong counts are part of the report.

        Arguments are those of `load`.

        Raises:
            CatalogError: No known layout, no closed-set split, or bad lines.
        """
        return self._read(root, closed_set)[1]

    def _read(
        self, root: str | Path, closed_set: bool
    ) -> tuple[LayoutContents, BenchmarkReport, list[Entry]]:
        if closed_set and not self.closed_set:
            raise CatalogError(f"{self.title} has no closed-set split; leave out closed_set")
        contents = read_layout(self.title, root, self.layouts, closed_set=closed_set)
        present, missing, hidden = _on_disk(contents)
        notes = contents.notes
        if hidden:
            notes += (f'"._*" files of another system, passed over: {hidden:,}',)
        parts = []
        for published in self.closed_set if closed_set else self.published:
            found = [each.label for each in present if (each.role or each.split) == published.part]
            counts = (len(found), len(set(found)), published.images, published.classes)
            parts.append(SplitCount(published.part, *counts))
        report = BenchmarkReport(
            name=self.title,
            layout=contents.layout,
            root=str(contents.root),
            parts=tuple(parts),
            missing=tuple(missing),
            boxes=sum(entry.box is not None for entry in present),
            keypoint_names=contents.keypoint_names,
            notes=notes,
        )
        return contents, report, present


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
