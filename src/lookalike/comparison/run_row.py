"""One finished run as a row of plain values: written with the run, read again, put into tables."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lookalike.errors import LookalikeError
from lookalike.files import replace_text

ROW = "row.json"
"""A file of this name in a run's folder says that the run is finished."""

Series = tuple[float, ...] | tuple[int, ...]
"""A measurement that is several numbers."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """What one run was and what was measured of it.

    Args:
        variant: Its name, the same for all seeds.
        recipe: Name of the recipe that it started from.
        head: Kind of the head.
        loss: Kind of the loss.
        backbone: Label of the backbone.
        groups: Groups of the head.
        dim: Numbers in the embedding, those of all levels.
        data: Which pictures were measured, in words.
        selected_on: Which pictures chose the epoch, in words.
        seed: Seed of the run.
        measures: Metrics and other numbers by their keys.
        parameters: Parameters of the whole model.
        flops: Operations to embed one picture, a multiply-add counted as two.
        milliseconds_per_image: Time to embed one picture of a batch, the median of several rounds
            in which all variants take turns; None until it was measured.
        seconds: Time for training and measuring, all parts of a resumed run together.
        threads: Threads that torch used.
        series: Measurements that are several numbers: `recall_at_K_of_learners` has one for each
            learner, `self_pair_cosine_counts` is a histogram of equal bins from −1 to 1.
        varied: The value of each key that the grid varies, as text; keys are whole paths.
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
        """Return plain values; measures and series are keys like all others."""
        plain: dict[str, Any] = asdict(self)
        for name in ("measures", "series"):
            plain.update(plain.pop(name))
        return plain

    @staticmethod
    def from_dict(plain: Mapping[str, Any]) -> "RunRow":
        """Read what `to_dict` gave: a key that is no field is a measure, or a series if a list."""
        fields = {name: plain[name] for name in RunRow.__slots__ if name in plain}
        others = {name: value for name, value in plain.items() if name not in fields}
        series = {name: tuple(value) for name, value in others.items() if isinstance(value, list)}
        measures = {name: value for name, value in others.items() if name not in series}
        return RunRow(measures=measures, series=series, **fields)

    def save(self, folder: Path) -> None:
        """Write the row into a run's folder, in one step."""
        replace_text(folder / ROW, json.dumps(self.to_dict(), indent=1) + "\n")

    @staticmethod
    def load(folder: Path) -> "RunRow":
        """Read the row of a finished run.

        Raises:
            LookalikeError: The file is not such a row.
        """
        path = folder / ROW
        try:
            return RunRow.from_dict(json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, TypeError) as error:
            raise LookalikeError(f"{path}: not a row of a comparison ({error})") from None
