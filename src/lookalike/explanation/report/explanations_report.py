"""What was measured of a model's explanations, and the ways to write it down."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lookalike.errors import LookalikeError
from lookalike.explanation.measures import (
    MEASURES,
    Diversity,
    Faithfulness,
    GroupParts,
    Localisation,
    Randomisation,
    Stability,
)
from lookalike.explanation.report.worst_cases import WorstCase
from lookalike.files import replace_text
from lookalike.versions import versions

NAME = "explanations"
"""Of the files that a report is written as, before the suffix."""


@dataclass(frozen=True, slots=True, eq=False)
class ExplanationsReport:
    """How good the explanations of a model are, by methods and by groups.

    What the model or the pictures cannot have is empty, and `left_out` says why.

    Args:
        model: In words.
        data: Which pictures, in words.
        pairs: How many pairs of one class were measured.
        seed: Of all draws.
        methods: Names of the methods, the one of most interest first.
        faithfulness: Of each method under each fill; of the first also with maps swapped.
        randomisation: What maps have in common with those of a model with random weights.
        localisation: Whether maps point at the parts that are known.
        groups: On what the groups' attention and tokens peak.
        diversity: How far the groups' attention and tokens overlap.
        stability: What the methods' maps do when the object moves.
        worst: The pairs on which the first method's maps do worst, the worst first.
        left_out: What could not be measured, a sentence each.
    """

    model: str
    data: str
    pairs: int
    seed: int
    methods: tuple[str, ...]
    faithfulness: tuple[Faithfulness, ...] = ()
    randomisation: tuple[Randomisation, ...] = ()
    localisation: tuple[Localisation, ...] = ()
    groups: tuple[GroupParts, ...] = ()
    diversity: tuple[Diversity, ...] = ()
    stability: tuple[Stability, ...] = ()
    worst: tuple[WorstCase, ...] = ()
    left_out: tuple[str, ...] = ()

    def __str__(self) -> str:
        from lookalike.explanation.report.summary import summary

        return summary(self)

    @property
    def versions(self) -> Mapping[str, str]:
        """Of what the numbers depend on."""
        return versions()

    def numbers(self) -> dict[str, float]:
        """Return what a comparison stores, by the names of the measures' quantities."""
        numbers: dict[str, float] = {}
        for key, measure in MEASURES.items():
            numbers |= measure.numbers(getattr(self, key))
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
            "faithfulness": [each.as_dict() for each in self.faithfulness],
            "randomisation": [each.as_dict() for each in self.randomisation],
            "localisation": [each.as_dict() for each in self.localisation],
            "groups": [each.as_dict() for each in self.groups],
            "diversity": [each.as_dict() for each in self.diversity],
            "stability": [each.as_dict() for each in self.stability],
            "worst": [each.as_dict() for each in self.worst],
            "left_out": list(self.left_out),
            "versions": dict(self.versions),
        }

    def to_json(self) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)

    def to_markdown(self) -> str:
        """Return a table for each measure, with its definition."""
        from lookalike.explanation.report.markdown import to_markdown

        return to_markdown(self)

    def to_html(self) -> str:
        """Return curves, worst cases and tables on a page that stands alone."""
        from lookalike.explanation.report.page import to_html

        return to_html(self)

    def save(self, folder: str | Path) -> list[Path]:
        """Write page, numbers and tables into a folder; nothing else in it is touched.

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
