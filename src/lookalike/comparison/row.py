"""One finished run as a row of plain values: what is written, read again and tabled."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lookalike.errors import LookalikeError
from lookalike.files import replace_text

ROW = "row.json"
"""Name of the file, in the run's folder, that says the run is finished."""

MEASURED_ON = "explanation_pairs"
"""Measure of a row: on how many pairs, at most, its explanations were measured."""

Series = tuple[float, ...] | tuple[int, ...]
"""A measure that is several numbers."""


@dataclass(frozen=True, slots=True)
class Row:
    """What one run was and what it measured.

    Args:
        variant: What it is called, the same for all its seeds.
        recipe: Name of the recipe it started from.
        head: By its kind.
        loss: By its kind.
        backbone: By its kind, or its name in timm.
        groups: Of the head.
        dim: Numbers in the embedding, those of all levels.
        data: Which pictures were measured, in words.
        selected_on: Which pictures chose the epoch, in words.
        seed: Of everything.
        measures: By their names in `lookalike.metrics`, 0 to 1 unless they say otherwise.
        parameters: Of the whole model.
        flops: To embed one picture, a multiply-add counted as two.
        milliseconds_per_image: To embed one picture of a batch, median of several rounds in which
            all variants take turns; None until it was measured.
        seconds: Training and measuring took so long, all parts of a resumed run together.
        threads: That torch used.
        series: Measures that are several numbers: `recall_at_K_of_learners` has one for each, and
            `self_pair_cosine_counts` is a histogram in bins of one width from −1 to 1.
        varied: What the grid gave each key that it varies, as text; keys are whole paths.
    """

    variant: str
    recipe: str
    head: str
    loss: str
    backbone: str
    groups: int
    dim: int
    data: str
    selected_on: str
    seed: int
    measures: Mapping[str, float]
    parameters: int
    flops: int
    seconds: float
    threads: int
    milliseconds_per_image: float | None = None
    series: Mapping[str, Series] = field(default_factory=dict)
    varied: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, the measures among the others."""
        plain: dict[str, Any] = asdict(self)
        for name in ("measures", "series"):
            plain.update(plain.pop(name))
        return plain

    @staticmethod
    def from_dict(plain: Mapping[str, Any]) -> "Row":
        """Read what `to_dict` gave: every key that is no field is a measure, a list is a series."""
        fields = {name: plain[name] for name in Row.__slots__ if name in plain}
        others = {name: value for name, value in plain.items() if name not in fields}
        series = {name: tuple(value) for name, value in others.items() if isinstance(value, list)}
        measures = {name: value for name, value in others.items() if name not in series}
        return Row(measures=measures, series=series, **fields)

    def save(self, folder: Path) -> None:
        """Leave the row in a run's folder, in one step."""
        replace_text(folder / ROW, json.dumps(self.to_dict(), indent=1) + "\n")

    @staticmethod
    def load(folder: Path) -> "Row":
        """Read a finished run's row.

        Raises:
            LookalikeError: The file is not one of ours.
        """
        path = folder / ROW
        try:
            return Row.from_dict(json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, TypeError) as error:
            raise LookalikeError(f"{path}: not a row of a comparison ({error})") from None
