"""Benchmarks of the literature, in every layout they are passed on in.

Each reader names the layout it found, checks counts against the published ones, and puts classes
that are tested on into no training split. Nothing is downloaded. The readers are in modules of
their names: `from lookalike.data import cub`, or `from lookalike.data.benchmarks.cub import cub`.
"""

from pathlib import Path

from lookalike.data.benchmarks.benchmark import Benchmark, Found, Published
from lookalike.data.benchmarks.cars import CARS
from lookalike.data.benchmarks.check import PartCount, Prepared
from lookalike.data.benchmarks.cub import CUB
from lookalike.data.benchmarks.inshop import INSHOP
from lookalike.data.benchmarks.read import report
from lookalike.data.benchmarks.sop import SOP
from lookalike.errors import UsageError

BENCHMARKS: dict[str, Benchmark] = {"cub": CUB, "cars": CARS, "sop": SOP, "inshop": INSHOP}
"""The benchmarks by their short names."""


def inspect(name: str, root: str | Path, *, closed_set: bool = False) -> Prepared:
    """Say what is there of a benchmark; missing files and wrong counts are part of the answer.

    Args:
        name: A key of `BENCHMARKS`.
        root: The folder that holds a known layout, or the folder above that.
        closed_set: Count by the official split that puts the same classes on both sides.

    Raises:
        UsageError: There is no such benchmark.
        CatalogError: No known layout, or its lists cannot be read.
    """
    if name not in BENCHMARKS:
        raise UsageError(f"no benchmark is called {name!r}: take one of {', '.join(BENCHMARKS)}")
    return report(BENCHMARKS[name], root, closed_set=closed_set)


__all__ = [
    "BENCHMARKS",
    "Benchmark",
    "Found",
    "PartCount",
    "Prepared",
    "Published",
    "inspect",
]
