"""What was measured of a model's explanations, and the forms it is written in."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lookalike.errors import LookalikeError
from lookalike.explanation.measures import MEASURES, Measure
from lookalike.files import replace_text
from lookalike.rendering.forms import page_of
from lookalike.rendering.tables import to_markdown
from lookalike.versions import versions

NAME = "explanations"
"""Of the files that a report is written as, before the suffix."""


@dataclass(frozen=True, slots=True, eq=False)
class ExplanationsReport:
    """How good the explanations of a model are.

    Args:
        model: In words.
        data: Which pictures, in words.
        pairs: How many pairs of one class were measured.
        seed: Of all draws.
        methods: Names of the methods, the one of most interest first.
        results: Of each measure, by its key; a measure that was left out has none.
        left_out: What could not be measured and why, a sentence each.
    """

    model: str
    data: str
    pairs: int
    seed: int
    methods: tuple[str, ...]
    results: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.pairs} pairs; {self.model}", self.data]
        for measure, results in self.measured():
            lines += measure.summary(results)
        return "\n".join([*lines, *(f"! left out, {reason}" for reason in self.left_out)])

    def measured(self) -> Iterator[tuple[Measure[Any], tuple[Any, ...]]]:
        """Go through the measures that have results, in the order of the registry."""
        for key, measure in MEASURES.items():
            if results := self.results.get(key):
                yield measure, results

    @property
    def findings(self) -> tuple[str, ...]:
        """What the numbers say, a sentence each."""
        return tuple(said for measure, found in self.measured() for said in measure.findings(found))

    @property
    def procedure(self) -> tuple[str, ...]:
        """How it was measured, a sentence each."""
        numbers = ", ".join(f"{name} {version}" for name, version in versions().items())
        return (
            f"Model: {self.model}.",
            f"Data: {self.data}.",
            f"{self.pairs} pairs of one class, drawn with seed {self.seed}.",
            "Intervals: 95 %, bootstrap over the pairs' query pictures.",
            *(said for measure, found in self.measured() for said in measure.procedure(found)),
            f"Versions: {numbers}.",
        )

    def numbers(self) -> dict[str, float]:
        """Return what a comparison stores, by the names of the measures' quantities."""
        numbers: dict[str, float] = {}
        for measure, results in self.measured():
            numbers |= measure.numbers(results)
        return numbers

    def renamed(self, root: str, name: str) -> "ExplanationsReport":
        """Return the report with a folder of pictures called by another name."""
        before, after = f": {root}: ", f": {name}: "
        return replace(
            self,
            data=f": {self.data}".replace(before, after, 1)[2:],
            left_out=tuple(reason.replace(before, after, 1) for reason in self.left_out),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers under their names."""
        return {
            "model": self.model,
            "data": self.data,
            "pairs": self.pairs,
            "seed": self.seed,
            "methods": list(self.methods),
            **{key: [each.as_dict() for each in self.results.get(key, ())] for key in MEASURES},
            "left_out": list(self.left_out),
            "versions": versions(),
        }

    def to_json(self) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)

    def to_markdown(self) -> str:
        """Return what the report says, then the tables of each measure, with its definition."""
        lines = ["# How good the explanations are", ""]
        lines += [f"- {finding}" for finding in self.findings]
        for measure, results in self.measured():
            for table in measure.tables(results):
                lines += ["", *to_markdown(table)]
        if self.left_out:
            lines += ["", "## Left out", "", *(f"- {reason}" for reason in self.left_out)]
        lines += ["", "## How it was measured", "", *(f"- {line}" for line in self.procedure)]
        return "\n".join(lines) + "\n"

    def to_html(self) -> str:
        """Return findings, charts and tables on a page that needs no other file."""
        return page_of(self)

    def save(self, folder: str | Path) -> list[Path]:
        """Write page, numbers and tables into a folder; other files in it are not touched.

        Args:
            folder: Made if it is not there.

        Returns:
            explanations.html, .json and .md, in this order.

        Raises:
            LookalikeError: A file cannot be written.
        """
        folder = Path(folder)
        texts = {
            ".html": self.to_html(),
            ".json": self.to_json() + "\n",
            ".md": self.to_markdown(),
        }
        files = [folder / f"{NAME}{suffix}" for suffix in texts]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for file, text in zip(files, texts.values(), strict=True):
                replace_text(file, text)
        except OSError as error:
            raise LookalikeError(f"{folder}: cannot be written: {error.strerror}") from None
        return files
