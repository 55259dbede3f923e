"""Published numbers of the four benchmarks, to be read beside ours.

They stand in `published.csv` as they were printed, in percent. What nobody could look up in a
source is not in it.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path

from lookalike.comparison.summary import Summary, Variant
from lookalike.data.benchmarks import BENCHMARKS
from lookalike.evaluation import OverSeeds

NONE = "–"
CAUTION = (
    "In percent. Backbones, numbers an embedding has, sizes of pictures, batches and the choice of "
    "the epoch differ from row to row: this places a result, it ranks no methods. An epoch that "
    "was chosen on the test pictures makes a number higher than one that was not."
)
NOT_QUOTED = (
    "A-grouping (Xu et al. 2020) reports this data set in its table 2. Those numbers are not "
    "quoted: no copy of the table could be checked."
)


@dataclass(frozen=True, slots=True)
class PublishedResult:
    """One method on one benchmark, as its source prints it.

    Args:
        method: As the source calls it.
        backbone: None where it is not known.
        dim: Numbers in the embedding; None where it is not known.
        recall_at: Percent, by k.
        nmi: Percent, None where there is none.
        f1: Percent, None where there is none.
        source: Where it is printed; "secondary" is by others than the authors, "re-run" was
            trained anew by others.
        selected: Which pictures chose the epoch, in words.
    """

    method: str
    backbone: str | None
    dim: int | None
    recall_at: Mapping[int, Decimal]
    nmi: Decimal | None
    f1: Decimal | None
    source: str
    selected: str


@dataclass(frozen=True, slots=True)
class Line:
    """One result in words: ours, or one that is published."""

    method: str
    backbone: str
    dim: str
    recalls: tuple[str, ...]
    nmi: str
    f1: str
    selected: str
    source: str
    ours: bool = False


@dataclass(frozen=True, slots=True)
class Beside:
    """Our results and the published ones on a benchmark.

    Args:
        title: Of the benchmark.
        ks: Ranks of recall, a column each.
        lines: Ours first.
        notes: What to know when reading, a sentence or two each.
    """

    title: str
    ks: tuple[int, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...]


@cache
def published(benchmark: str) -> tuple[PublishedResult, ...]:
    """Return what is published of a benchmark, by its short name: cub, cars, sop or inshop.

    >>> [str(value) for value in published("inshop")[0].recall_at.values()]
    ['88.93']
    """
    text = (Path(__file__).parent / "published.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return tuple(_read(row) for row in rows if row["benchmark"] == benchmark)


def beside(summary: Summary, benchmark: str) -> Beside:
    """Put the variants of a comparison before what is published."""
    known = published(benchmark)
    ks = tuple(sorted({k for result in known for k in result.recall_at}))
    ours = [_ours(variant, ks) for variant in summary.finished]
    quoted = any(result.method == "A-grouping" for result in known)
    return Beside(
        title=BENCHMARKS[benchmark].title,
        ks=ks,
        lines=(*ours, *(_theirs(result, ks) for result in known)),
        notes=(CAUTION,) if quoted else (CAUTION, NOT_QUOTED),
    )


def _read(row: Mapping[str, str]) -> PublishedResult:
    ks, recalls = row["ks"].split(), row["recalls"].split()
    return PublishedResult(
        method=row["method"],
        backbone=row["backbone"] or None,
        dim=int(row["dim"]) if row["dim"] else None,
        recall_at={int(k): Decimal(value) for k, value in zip(ks, recalls, strict=True)},
        nmi=Decimal(row["nmi"]) if row["nmi"] else None,
        f1=Decimal(row["f1"]) if row["f1"] else None,
        source=row["source"],
        selected=row["selected"],
    )


def _theirs(result: PublishedResult, ks: tuple[int, ...]) -> Line:
    return Line(
        method=result.method,
        backbone=result.backbone or NONE,
        dim=_or_none(result.dim),
        recalls=tuple(_or_none(result.recall_at.get(k)) for k in ks),
        nmi=_or_none(result.nmi),
        f1=_or_none(result.f1),
        selected=result.selected,
        source=result.source,
    )


def _ours(variant: Variant, ks: tuple[int, ...]) -> Line:
    row, seeds = variant.rows[0], len(variant.rows)
    return Line(
        method=variant.name,
        backbone=row.backbone,
        dim=str(row.dim),
        recalls=tuple(_percent(variant.over_seeds(f"recall_at_{k}")) for k in ks),
        nmi=_percent(variant.over_seeds("nmi")),
        f1=_percent(variant.over_seeds("f1")),
        selected=row.selected_on,
        source="one seed" if seeds == 1 else f"mean of {seeds} seeds",
        ours=True,
    )


def _percent(values: OverSeeds | None) -> str:
    return NONE if values is None else f"{100 * values.mean:.1f}"


def _or_none(value: object) -> str:
    return NONE if value is None else str(value)
