"""The runs of a comparison by variant, over their seeds."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from lookalike.comparison.run_grid import Comparison, FailedRun
from lookalike.comparison.run_row import RunRow
from lookalike.evaluation import OverSeeds


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
        """Return a number over the runs that have it; None if none has.

        Args:
            key: A key of `RunRow.to_dict`.
        """
        known = [row.to_dict().get(key) for row in self.rows]
        values = tuple(float(value) for value in known if value is not None)
        return OverSeeds(values) if values else None


@dataclass(frozen=True, slots=True)
class Variants:
    """The variants of a comparison in the order of the grid; those that only failed come last."""

    variants: tuple[Variant, ...]

    @property
    def finished(self) -> tuple[Variant, ...]:
        """The variants with a finished run."""
        return tuple(variant for variant in self.variants if variant.rows)

    @property
    def rows(self) -> tuple[RunRow, ...]:
        """All finished runs."""
        return tuple(row for variant in self.variants for row in variant.rows)

    @property
    def failures(self) -> tuple[FailedRun, ...]:
        """All other runs."""
        return tuple(failure for variant in self.variants for failure in variant.failures)

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


def by_variant(comparison: Comparison) -> Variants:
    """Put the runs of each variant together."""
    rows: dict[str, list[RunRow]] = {}
    failures: dict[str, list[FailedRun]] = {}
    for row in comparison.rows:
        rows.setdefault(row.variant, []).append(row)
    for failure in comparison.failures:
        failures.setdefault(PurePosixPath(failure.folder).parent.name, []).append(failure)
    return Variants(
        tuple(
            Variant(name, tuple(rows.get(name, ())), tuple(failures.get(name, ())))
            for name in dict.fromkeys([*rows, *failures])
        )
    )


def spread(values: OverSeeds) -> float | None:
    """Return the sample standard deviation over the seeds; None for a single seed."""
    return values.spread if len(values.values) > 1 else None


def reach(values: OverSeeds) -> tuple[float, float]:
    """Return the mean minus the spread, and plus it; the mean twice for a single seed."""
    own = spread(values) or 0.0
    return values.mean - own, values.mean + own


def with_spread(values: OverSeeds) -> str:
    """Write a mean and its spread.

    >>> with_spread(OverSeeds((0.4, 0.6))), with_spread(OverSeeds((0.4,)))
    ('0.500 ± 0.141', '0.400')
    """
    own = spread(values)
    return f"{values.mean:.3f}" if own is None else f"{values.mean:.3f} ± {own:.3f}"


def told_apart(a: OverSeeds, b: OverSeeds) -> bool | None:
    """Say whether two means differ by more than the larger of the two spreads.

    With few seeds this is a rule of thumb, not a test.

    Returns:
        None if one of them has no spread.

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
    """Sort the variants that have a number by its mean, the highest first."""
    measured = [(variant, values) for variant in variants if (values := variant.over_seeds(key))]
    return sorted(measured, key=lambda item: -item[1].mean)
