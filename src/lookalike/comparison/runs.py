"""The runs of a comparison as plain values, by variant, and numbers over their seeds."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from lookalike.errors import LookalikeError
from lookalike.evaluation import OverSeeds
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


@dataclass(frozen=True, slots=True)
class FailedRun:
    """A run that ended with an error.

    Args:
        folder: The run's folder, relative to the folder of the comparison.
        reason: In a sentence; the whole trace is in the run's `error.txt`.
    """

    folder: str
    reason: str


@dataclass(frozen=True, slots=True)
class Variant:
    """All runs of one variant; only the seed differs between them.

    Args:
        name: Its name.
        rows: Its finished runs.
        failures: Its other runs.
    """

    name: str
    rows: tuple[RunRow, ...]
    failures: tuple[FailedRun, ...] = ()

    def over_seeds(self, key: str) -> OverSeeds | None:
        """Return a number, a key of `RunRow.to_dict`, over the runs that have it; None if none."""
        known = [row.to_dict().get(key) for row in self.rows]
        values = tuple(float(value) for value in known if value is not None)
        return OverSeeds(values) if values else None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The runs of a grid.

    Args:
        rows: Finished runs, in the order of the grid.
        failures: The others.
        reused: How many rows were already there.
    """

    rows: tuple[RunRow, ...]
    failures: tuple[FailedRun, ...]
    reused: int

    @property
    def variants(self) -> tuple[Variant, ...]:
        """All runs by variant, in the order of the grid; those that only failed come last."""
        rows: dict[str, tuple[RunRow, ...]] = {}
        failures: dict[str, tuple[FailedRun, ...]] = {}
        for row in self.rows:
            rows[row.variant] = (*rows.get(row.variant, ()), row)
        for failure in self.failures:
            name = PurePosixPath(failure.folder).parent.name
            failures[name] = (*failures.get(name, ()), failure)
        return tuple(Variant(n, rows.get(n, ()), failures.get(n, ())) for n in rows | failures)

    @property
    def finished(self) -> tuple[Variant, ...]:
        """The variants with a finished run."""
        return tuple(variant for variant in self.variants if variant.rows)

    @property
    def measured(self) -> tuple[str, ...]:
        """Keys of everything that was measured of some run."""
        return tuple(dict.fromkeys(key for row in self.rows for key in row.measures))

    @property
    def losses(self) -> tuple[str, ...]:
        """The kinds of loss, in the order of the grid."""
        return tuple(dict.fromkeys(row.loss for row in self.rows))

    def with_loss(self, loss: str) -> tuple[Variant, ...]:
        """Return the finished variants that were trained with this loss."""
        return tuple(variant for variant in self.finished if variant.rows[0].loss == loss)


def with_spread(values: OverSeeds) -> str:
    """Write a mean and its spread; the mean alone for a single seed.

    >>> with_spread(OverSeeds((0.4, 0.6))), with_spread(OverSeeds((0.4,)))
    ('0.500 ± 0.141', '0.400')
    """
    return f"{values.mean:.3f}" + (f" ± {values.spread:.3f}" if len(values.values) > 1 else "")


def told_apart(a: OverSeeds, b: OverSeeds) -> bool | None:
    """Say whether two means differ by more than the larger of the two spreads.

    With few seeds this is a rule of thumb, not a test.

    Returns:
        None if one of them has a single seed, and so no spread.

    >>> told_apart(OverSeeds((0.4, 0.5)), OverSeeds((0.6, 0.7)))
    True
    >>> told_apart(OverSeeds((0.4, 0.6)), OverSeeds((0.55, 0.65)))
    False
    """
    if 1 in (len(a.values), len(b.values)):
        return None
    return abs(a.mean - b.mean) > max(a.spread, b.spread)
