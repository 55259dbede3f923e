"""What an evaluation found, with what it takes to read it: definitions, counts, procedure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from lookalike.errors import UsageError
from lookalike.evaluation.clustering import Clustering
from lookalike.evaluation.definitions import definition
from lookalike.evaluation.retrieval import Retrieval
from lookalike.files import replace_text

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True, slots=True)
class Report:
    """Numbers by name, 0 to 1, and how they came about.

    Args:
        metrics: E.g. "recall_at_1", "map_at_r", "nmi", in the order to show them.
        counts: Queries, gallery, classes, queries without positives, and what was left out.
        mode: "A", queries are the gallery, each without itself; "B", queries and gallery differ.
        data: Which pictures, in words.
        procedure: How it was measured, a sentence each.
        notes: What the reader should be warned of, a sentence each.
    """

    metrics: Mapping[str, float]
    counts: Mapping[str, int]
    mode: Literal["A", "B"]
    data: str
    procedure: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Return plain values, the definition of each metric among them."""
        return {
            "metrics": dict(self.metrics),
            "definitions": {name: definition(name) for name in self.metrics},
            "counts": dict(self.counts),
            "mode": self.mode,
            "data": self.data,
            "procedure": list(self.procedure),
            "notes": list(self.notes),
        }

    def to_json(self) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False)

    def to_markdown(self) -> str:
        """Return a table with definitions, then the counts, the procedure and the notes."""
        rows = [f"| {n} | {v:.4f} | {definition(n)} |" for n, v in self.metrics.items()]
        return "\n".join(
            [
                *(f"> **{note}**\n" for note in self.notes),
                "| metric | value | definition |",
                "|---|---:|---|",
                *rows,
                "",
                f"Data: {self.data}",
                "",
                *(f"- {line}" for line in self._small_print()),
            ]
        )

    def to_table(self) -> "Table":
        """Return a table for `rich` to print."""
        from rich.table import Table
        from rich.text import Text

        caption = "\n".join([*self._small_print(), *(f"! {note}" for note in self.notes)])
        # Text, not a string: brackets in a path are no markup.
        table = Table(title=Text(self.data), caption=Text(caption), caption_justify="left")
        table.add_column("metric", no_wrap=True)
        table.add_column("value", justify="right", no_wrap=True)
        table.add_column("definition")
        for name, value in self.metrics.items():
            table.add_row(name, f"{value:.4f}", definition(name))
        return table

    def __str__(self) -> str:
        width = max(map(len, self.metrics), default=0)
        numbers = [f"{name:<{width}}  {value:.4f}" for name, value in self.metrics.items()]
        notes = [f"! {note}" for note in self.notes]
        return "\n".join([self.data, *numbers, *self._small_print(), *notes])

    def save(self, path: str | Path) -> None:
        """Write the report, as JSON or Markdown by the suffix.

        Raises:
            UsageError: The suffix is another.
        """
        path = Path(path)
        if path.suffix not in {".json", ".md"}:
            raise UsageError(f"{path}: a report is written as .json or .md")
        text = self.to_json() if path.suffix == ".json" else self.to_markdown()
        replace_text(path, text + "\n")

    def _small_print(self) -> list[str]:
        counts = ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in self.counts.items())
        return [counts, *self.procedure]


def retrieval_metrics(result: Retrieval) -> dict[str, float]:
    """Name the numbers of a retrieval result as a report does."""
    worst, best = result.recall_at_1_bounds
    return {
        **{f"recall_at_{k}": value for k, value in result.recall_at.items()},
        "map_at_r": result.map_at_r,
        "r_precision": result.r_precision,
        **{f"precision_at_{k}": value for k, value in result.precision_at.items()},
        **{f"ir_recall_at_{k}": value for k, value in result.ir_recall_at.items()},
        "map_dgml": result.map_dgml,
        "map_dgml_cap": result.map_dgml_cap,
        "recall_at_1_worst": worst,
        "recall_at_1_best": best,
        **{f"tie_share_at_{k}": value for k, value in result.tie_share.items()},
    }


def clustering_metrics(result: Clustering) -> dict[str, float]:
    """Name the numbers of a clustering result as a report does."""
    measures = {"nmi": result.nmi, "ami": result.ami, "f1": result.f1}
    return {name: measure.mean for name, measure in measures.items()} | {
        f"{name}_spread": measure.spread for name, measure in measures.items()
    }
