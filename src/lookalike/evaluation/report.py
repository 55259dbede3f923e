"""The result of an evaluation: numbers with their definitions, counts and procedure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from lookalike.errors import UsageError
from lookalike.evaluation.known_metrics import find_metric
from lookalike.files import replace_text

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True, slots=True)
class Report:
    """Metrics by key, and how they were measured.

    Args:
        metrics: E.g. "recall_at_1", "map_at_r", "nmi", in the order to show them.
        counts: Queries, gallery, classes, queries without positives, and what was left out.
        mode: "A", queries are the gallery, each without itself; "B", queries and gallery differ.
        data: Which pictures, in words.
        procedure: How it was measured, a sentence each.
        notes: Warnings for the reader, a sentence each.
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


def definition(key: str) -> str:
    """Say in one phrase what a number of a report is; empty for a number that is not known.

    >>> definition("nmi_spread")
    'standard deviation of nmi over the seeds'
    """
    metric = find_metric(key)
    return "" if metric is None else metric.meaning
