"""Published results on the four benchmarks, next to ours.

`published.csv` has them as they were printed, in percent; only what could be checked in a source.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path

from lookalike.comparison.variants import Variant, Variants
from lookalike.data.benchmarks import BENCHMARKS
from lookalike.evaluation import OverSeeds
from lookalike.rendering.numbers import NONE, number
from lookalike.rendering.tables import Table, TableCell, TableColumn

CAUTION = (
    "In percent. Backbones, sizes of embeddings, pictures and batches, and the choice of the epoch "
    "differ from row to row, so the table does not rank the methods. A number is higher if the "
    "epoch was chosen on the test pictures."
)
NOT_QUOTED = (
    "A-grouping (Xu et al. 2020) reports this data set in its table 2. Those numbers are not "
    "quoted because no copy of the table could be checked."
)


@dataclass(frozen=True, slots=True)
class PublishedResult:
    """One method on one benchmark, as its source prints it.

    Args:
        method: As the source calls it.
        backbone: None if it is not known.
        dim: Numbers in the embedding; None if it is not known.
        recall_at: Percent, by k.
        nmi: Percent; None if it is not known.
        f1: Percent; None if it is not known.
        source: Where it is printed; "secondary" is quoted by others than the authors, "re-run" was
            trained again by others.
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


@cache
def published(benchmark: str) -> tuple[PublishedResult, ...]:
    """Return the published results on a benchmark, by its short name: cub, cars, sop or inshop.

    >>> [str(value) for value in published("inshop")[0].recall_at.values()]
    ['88.93']
    """
    text = (Path(__file__).parent / "published.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return tuple(_read(row) for row in rows if row["benchmark"] == benchmark)


def beside(variants: Variants, benchmark: str) -> Table:
    """Return our results, and below them the published ones on a benchmark."""
    known = published(benchmark)
    ks = tuple(sorted({k for result in known for k in result.recall_at}))
    quoted = any(result.method == "A-grouping" for result in known)
    return Table(
        f"Published on {BENCHMARKS[benchmark].title}",
        (
            TableColumn("method", align="left"),
            TableColumn("backbone", align="left"),
            TableColumn("dim"),
            *(TableColumn(f"R@{k}") for k in ks),
            TableColumn("NMI"),
            TableColumn("F1"),
            TableColumn("epoch chosen on", align="left"),
            TableColumn("from", align="left"),
        ),
        (
            *(_ours(variant, ks) for variant in variants.finished),
            *(_theirs(result, ks) for result in known),
        ),
        definition=CAUTION if quoted else f"{CAUTION} {NOT_QUOTED}",
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


def _theirs(result: PublishedResult, ks: tuple[int, ...]) -> tuple[str, ...]:
    recalls = (result.recall_at.get(k) for k in ks)
    numbers = (result.dim, *recalls, result.nmi, result.f1)
    written = (NONE if value is None else str(value) for value in numbers)
    return (result.method, result.backbone or NONE, *written, result.selected, result.source)


def _ours(variant: Variant, ks: tuple[int, ...]) -> tuple[TableCell | str, ...]:
    row, seeds = variant.rows[0], len(variant.rows)
    keys = (*(f"recall_at_{k}" for k in ks), "nmi", "f1")
    return (
        TableCell(variant.name, "(ours)", "best"),
        row.backbone,
        str(row.dim),
        *(_percent(variant.over_seeds(key)) for key in keys),
        row.selected_on,
        "one seed" if seeds == 1 else f"mean of {seeds} seeds",
    )


def _percent(values: OverSeeds | None) -> str:
    return NONE if values is None else number(100 * values.mean, 1)
