"""A benchmark of the literature: reading it into a catalog, or reporting what is there."""

import warnings
from dataclasses import dataclass
from pathlib import Path

from lookalike.data.benchmarks.layouts import Layout, LayoutContents, read_layout
from lookalike.data.benchmarks.report import BenchmarkReport, Published, compare
from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.entries import Entry
from lookalike.errors import CatalogError


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
        published = self.closed_set if closed_set else self.published
        return contents, *compare(self.title, contents, published)
