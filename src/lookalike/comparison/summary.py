"""A comparison, summed up: the runs of each variant together, over their seeds."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from lookalike.comparison.row import Row
from lookalike.comparison.run import Comparison, Failure
from lookalike.evaluation import OverSeeds


@dataclass(frozen=True, slots=True)
class Variant:
    """All runs of one variant; they differ in the seed alone.

    Args:
        name: What it is called.
        rows: Its finished runs.
        failures: Its others.
    """

    name: str
    rows: tuple[Row, ...]
    failures: tuple[Failure, ...] = ()

    def over_seeds(self, key: str) -> OverSeeds | None:
        """Return a measure or a cost over the runs that have it, None where none has.

        Args:
            key: Of `Row.to_dict`.
        """
        known = [row.to_dict().get(key) for row in self.rows]
        values = tuple(float(value) for value in known if value is not None)
        return OverSeeds(values) if values else None


@dataclass(frozen=True, slots=True)
class Summary:
    """The variants of a comparison, in the order of the grid; those that only failed come last."""

    variants: tuple[Variant, ...]

    @property
    def finished(self) -> tuple[Variant, ...]:
        """The variants with a finished run."""
        return tuple(variant for variant in self.variants if variant.rows)

    @property
    def rows(self) -> tuple[Row, ...]:
        """All finished runs."""
        return tuple(row for variant in self.variants for row in variant.rows)

    @property
    def failures(self) -> tuple[Failure, ...]:
        """All other runs."""
        return tuple(failure for variant in self.variants for failure in variant.failures)

    @property
    def losses(self) -> tuple[str, ...]:
        """The kinds of loss, in the order of the grid."""
        return tuple(dict.fromkeys(row.loss for row in self.rows))

    def with_loss(self, loss: str) -> tuple[Variant, ...]:
        """Return the finished variants that were trained with a loss."""
        return tuple(variant for variant in self.finished if variant.rows[0].loss == loss)


def summarise(comparison: Comparison) -> Summary:
    """Put the runs of each variant together."""
    rows: dict[str, list[Row]] = {}
    failures: dict[str, list[Failure]] = {}
    for row in comparison.rows:
        rows.setdefault(row.variant, []).append(row)
    for failure in comparison.failures:
        failures.setdefault(PurePosixPath(failure.folder).parent.name, []).append(failure)
    return Summary(
        tuple(
            Variant(name, tuple(rows.get(name, ())), tuple(failures.get(name, ())))
            for name in dict.fromkeys([*rows, *failures])
        )
    )


def spread(values: OverSeeds) -> float | None:
    """Return the sample standard deviation over the seeds; a single one has none."""
    return values.spread if len(values.values) > 1 else None


def told_apart(a: OverSeeds, b: OverSeeds) -> bool | None:
    """Say whether two means differ by more than the larger of the two spreads.

    With few seeds this is a rule of thumb, not a test.

    Returns:
        None where one of them has no spread.

    >>> told_apart(OverSeeds((0.4, 0.5)), OverSeeds((0.6, 0.7)))
    True
    >>> told_apart(OverSeeds((0.4, 0.6)), OverSeeds((0.55, 0.65)))
    False
    """
    spreads = spread(a), spread(b)
    if spreads[0] is None or spreads[1] is None:
        return None
    return abs(a.mean - b.mean) > max(spreads[0], spreads[1])


def ranked(variants: Sequence[Variant], key: str) -> list[tuple[Variant, OverSeeds]]:
    """Sort the variants that have a measure by its mean, the highest first."""
    measured = [(variant, values) for variant in variants if (values := variant.over_seeds(key))]
    return sorted(measured, key=lambda item: -item[1].mean)
