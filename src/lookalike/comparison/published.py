"""Published results on the four benchmarks, next to ours.

`published.csv` has them as they were printed, in percent; only what could be checked in a source.
"""

import csv
from collections.abc import Sequence
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


@cache
def published(benchmark: str) -> tuple[dict[str, str], ...]:
    """Return the published results on a benchmark, by its short name: cub, cars, sop or inshop.

    Each has the columns of the file: `ks` and `recalls` are separated by blanks; `source` begins
    with "secondary" if others than the authors quote the numbers, and with "re-run" if others
    trained again; `selected` says which pictures chose the epoch. Unknown values are empty.

    >>> published("inshop")[0]["recalls"]
    '88.93'
    """
    text = (Path(__file__).parent / "published.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return tuple(row for row in rows if row["benchmark"] == benchmark)


def beside(variants: Variants, benchmark: str) -> Table:
    """Return our results, and below them the published ones on a benchmark."""
    known = published(benchmark)
    ks = sorted({int(k) for result in known for k in result["ks"].split()})
    quoted = any(result["method"] == "A-grouping" for result in known)
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


def _theirs(result: dict[str, str], ks: Sequence[int]) -> tuple[str, ...]:
    recall_at = dict(zip(result["ks"].split(), result["recalls"].split(), strict=True))
    recalls = [recall_at.get(str(k), "") for k in ks]
    numbers = [result["backbone"], result["dim"], *recalls, result["nmi"], result["f1"]]
    known = [value or NONE for value in numbers]
    return (result["method"], *known, result["selected"], result["source"])


def _ours(variant: Variant, ks: Sequence[int]) -> tuple[TableCell | str, ...]:
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
