"""Turning a benchmark on disk into a catalog, or into a report of what is there."""

from pathlib import Path

from lookalike.data.benchmarks.benchmark import Benchmark, Found, Published
from lookalike.data.benchmarks.check import Prepared, prepared, to_catalog
from lookalike.data.catalog.catalog import Catalog
from lookalike.errors import CatalogError


def load(
    benchmark: Benchmark,
    root: str | Path,
    *,
    allow_partial: bool = False,
    closed_set: bool = False,
) -> Catalog:
    """Read a benchmark, and refuse it if its counts are not the published ones.

    Args:
        benchmark: Which one.
        root: The folder that holds a known layout, or the folder above that.
        allow_partial: Warn of what is missing, and use what is there.
        closed_set: Split as the data set's authors do for classification, with the same classes
            on both sides, instead of by class.

    Raises:
        CatalogError: No known layout, files missing, counts wrong, or no closed-set split.
    """
    found, published = _find(benchmark, root, closed_set)
    return to_catalog(benchmark.title, found, published, allow_partial=allow_partial)


def report(benchmark: Benchmark, root: str | Path, *, closed_set: bool = False) -> Prepared:
    """Say what is there of a benchmark; missing files and wrong counts are part of the answer.

    Args:
        benchmark: Which one.
        root: The folder that holds a known layout, or the folder above that.
        closed_set: Count by the official split that puts the same classes on both sides.

    Raises:
        CatalogError: No known layout, or its lists cannot be read.
    """
    found, published = _find(benchmark, root, closed_set)
    return prepared(benchmark.title, found, published)


def _find(
    benchmark: Benchmark, root: str | Path, closed_set: bool
) -> tuple[Found, tuple[Published, ...]]:
    if closed_set and not benchmark.closed_set:
        raise CatalogError(f"{benchmark.title} has no closed-set split; leave out closed_set")
    found = benchmark.read(Path(root), closed_set)
    return found, benchmark.closed_set if closed_set else benchmark.published
