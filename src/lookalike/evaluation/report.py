"""The result of an evaluation: numbers with their definitions, counts and procedure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lookalike.errors import UsageError
from lookalike.evaluation.known_metrics import find_metric
from lookalike.files import replace_text
from lookalike.rendering.numbers import number
from lookalike.rendering.tables import Table, TableColumn, to_markdown, to_text


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

    def table(self) -> Table:
        """Return the metrics with their definitions."""
        columns = (
            TableColumn("metric", align="left"),
            TableColumn("value"),
            TableColumn("definition", align="left"),
        )
        rows = ((key, number(value, 4), definition(key)) for key, value in self.metrics.items())
        return Table("", columns, tuple(rows))

    def to_markdown(self) -> str:
        """Return the notes, the table, the data, the counts and the procedure."""
        return "\n".join(
            [
                *(f"> **{note}**\n" for note in self.notes),
                *to_markdown(self.table()),
                "",
                f"Data: {self.data}",
                "",
                *(f"- {line}" for line in self._small_print()),
            ]
        )

    def to_text(self) -> str:
        """Return the data, the table, the counts, the procedure and the notes, for a terminal."""
        notes = [f"! {note}" for note in self.notes]
        return "\n".join([self.data, "", to_text(self.table()), "", *self._small_print(), *notes])

    def __str__(self) -> str:
        return self.to_text()

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
