"""Benchmarks of the literature, in every layout in which they are passed on.

Each reader names the layout it found, checks counts against the published ones, and keeps test
classes out of the training split. Nothing is downloaded. The readers are in modules of their
names: `from lookalike.data import cub`, or `from lookalike.data.benchmarks.cub import cub`.
"""

from pathlib import Path

from lookalike.data.benchmarks.benchmark import Benchmark, BenchmarkReport, Published, SplitCount
from lookalike.data.benchmarks.cars import CARS
from lookalike.data.benchmarks.cub import CUB
from lookalike.data.benchmarks.inshop import INSHOP
from lookalike.data.benchmarks.sop import SOP
from lookalike.errors import UsageError

BENCHMARKS: dict[str, Benchmark] = {"cub": CUB, "cars": CARS, "sop": SOP, "inshop": INSHOP}
"""The benchmarks by their short names."""


def inspect(name: str, root: str | Path, *, closed_set: bool = False) -> BenchmarkReport:
    """Say what is there of the benchmark with this short name; see `Benchmark.report`.

    Raises:
        UsageError: There is no such benchmark.
        CatalogError: No known layout, or its lists cannot be read.
    """
    if name not in BENCHMARKS:
        raise UsageError(f"no benchmark is called {name!r}: take one of {', '.join(BENCHMARKS)}")
    return BENCHMARKS[name].report(root, closed_set=closed_set)


__all__ = [
    "BENCHMARKS",
    "Benchmark",
    "BenchmarkReport",
    "Published",
    "SplitCount",
    "inspect",
]
