"""Do maps point at the known object parts? The pointing game, and the mass on object parts.

The pointing game (Zhang et al., "Top-down neural attention by excitation backprop", ECCV 2016)
asks whether a map's highest cell is on the part; mass is the share of the map that is. Each number
is given together with that of a map without any preference.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from torch import Tensor

from lookalike.errors import UsageError
from lookalike.explanation.measures.interval_text import interval_cell
from lookalike.explanation.measures.maps_on_object_parts import (
    Shares,
    by_chance,
    shares_of,
)
from lookalike.explanation.measures.measure import (
    Measure,
    Outcome,
    Quantity,
    Study,
    measure_table,
    method_label,
)
from lookalike.explanation.measures.object_parts import (
    KnownParts,
    known_parts,
    parts_under_cells,
    unknown_parts,
)
from lookalike.explanation.measures.receptive_field import Offset, receptive_field_offset
from lookalike.model import Model
from lookalike.progress import Progress
from lookalike.rendering.numbers import number, percent
from lookalike.rendering.tables import Table, TableCell
from lookalike.statistics.bootstrap import Interval, bootstrap_interval

MOST_PARTS = 6
"""With more object parts than this, a table has only the column of all together."""


@dataclass(frozen=True, slots=True)
class PartShare:
    """How much of the maps is on an object part.

    Args:
        name: The object part.
        peaks: Share of maps whose peak is on it.
        peaks_by_chance: The same for a peak in any cell.
        mass: Share of the maps' mass above zero that lies on it.
        mass_by_chance: The same for a uniform map: the object part's share of the area.
    """

    name: str
    peaks: Interval
    peaks_by_chance: float
    mass: Interval
    mass_by_chance: float


@dataclass(frozen=True, slots=True)
class Localisation:
    """Where maps point.

    Args:
        of: The name of the method.
        whole: On any object part: on the figure, or near any keypoint.
        parts: On each object part.
        maps: Number of maps that point somewhere.
        left_out: Number of maps without a value above zero.
    """

    of: str
    whole: PartShare
    parts: tuple[PartShare, ...]
    maps: int
    left_out: int

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers under their names."""
        return asdict(self)


def measure_localisation(study: Study) -> tuple[Localisation, ...]:
    """Measure where saliency methods point, over both pictures of each pair.

    Args:
        study: The methods and the pairs. Where object parts are known in some pictures only, as
            many other pairs are drawn from these, as far as there are so many.

    Raises:
        UsageError: No object parts are known, no class has two pictures in which they are, or none
            of a method's maps has a value above zero.
    """
    known = known_parts(study.catalog)
    if len(known.catalog) < len(study.catalog):
        study = Study.of(
            study.model,
            known.catalog,
            study.methods,
            count=len(study.pairs),
            seed=study.seed,
            batch_size=study.batch_size,
        )
    pairs = study.pairs
    offset_of = cache(partial(receptive_field_offset, study.model))
    found = []
    for method in study.methods:
        maps = study.maps(method)
        every: list[_OnParts | None] = []
        for values, rows in zip((maps.a, maps.b), zip(*pairs.rows, strict=True), strict=True):
            grid = (values.shape[1], values.shape[2])
            offset = offset_of(grid) if method.grid == "positions" else (0.0, 0.0)
            every += _on_parts(study.model, known, values, rows, offset=offset)
        found.append(
            _localisation(known, method.name, every, clusters=pairs.clusters * 2, seed=study.seed)
        )
    return tuple(found)


class _OnParts(NamedTuple):
    """What one map, and a map without preference, have on each column."""

    shares: Shares
    chance: Shares


def _on_parts(
    model: Model,
    known: KnownParts,
    maps: Float[Tensor, "n h w"],
    rows: Sequence[int],
    *,
    offset: Offset,
) -> list[_OnParts | None]:
    """Look up each map of some pictures; None where it has no value above zero."""
    grid = (maps.shape[1], maps.shape[2])
    found: list[_OnParts | None] = []
    for row, values in zip(rows, maps.double().numpy(), strict=True):
        under = parts_under_cells(known, row, model.preprocessing, grid, offset=offset)
        above = values.max() > 0
        flat = values.reshape(1, -1)
        found.append(_OnParts(shares_of(flat, under), by_chance(under)) if above else None)
    return found


def _localisation(
    known: KnownParts,
    of: str,
    every: Sequence[_OnParts | None],
    *,
    clusters: Sequence[int],
    seed: int,
) -> Localisation:
    """Combine the results of all maps."""
    kept = [(one, cluster) for one, cluster in zip(every, clusters, strict=True) if one is not None]
    if not kept:
        raise UsageError(f"{of}: no map has a value above zero, so none points at anything")
    tables = [
        np.stack([np.ravel(table) for table in (*one.shares, *one.chance)]) for one, _ in kept
    ]
    # Four numbers for each map and column, and one more column for any object part.
    numbers = np.stack(tables, axis=1)[..., :-1]
    numbers = np.concatenate([numbers, numbers.sum(axis=2, keepdims=True)], axis=2)
    drawn = [cluster for _, cluster in kept]

    def share(name: str, column: int) -> PartShare:
        peaks, mass, peaks_by_chance, mass_by_chance = numbers[..., column]
        return PartShare(
            name,
            bootstrap_interval(peaks, clusters=drawn, seed=seed),
            float(peaks_by_chance.mean()),
            bootstrap_interval(mass, clusters=drawn, seed=seed),
            float(mass_by_chance.mean()),
        )

    return Localisation(
        of=of,
        whole=share(known.whole, -1),
        parts=tuple(share(name, column) for column, name in enumerate(known.names)),
        maps=len(kept),
        left_out=len(every) - len(kept),
    )


class LocalisationMeasure(Measure[Localisation]):
    """The pointing game, and the mass on known object parts."""

    key = "localisation"
    label = "localisation"
    meaning = (
        "Pointing game: share of maps whose highest cell is on a known part. Mass: share of what "
        "the map has above zero that lies on one. Chance is what a map without any preference gets."
    )
    heading = "Explanations: where maps point"
    reading = "Only where parts are known, from masks or keypoints."
    quantities = (
        Quantity(
            "pointing",
            "pointing",
            "share of maps whose highest cell is on a known part",
            headline=True,
        ),
        Quantity("mass", "mass", "share of what maps have above zero that lies on known parts"),
    )

    def why_not(self, study: Study) -> str | None:
        """Return why no object parts are known."""
        return unknown_parts(study.catalog)

    def run(self, study: Study, progress: Progress | None = None) -> Outcome[Localisation]:
        """Measure each method by itself: one may have no map with a value above zero."""
        found: list[Localisation] = []
        left_out: list[str] = []
        for done, method in enumerate(study.methods, start=1):
            try:
                found += measure_localisation(replace(study, methods=(method,)))
            except UsageError as error:
                left_out.append(f"{self.label}, {method.name}: {error}")
            if progress is not None:
                progress(done, len(study.methods))
        return Outcome(tuple(found), tuple(left_out))

    def numbers(self, results: Sequence[Localisation]) -> dict[str, float]:
        """Return the shares on any object part."""
        pointing = {f"pointing_{each.of}": each.whole.peaks.mean for each in results}
        return pointing | {f"mass_{each.of}": each.whole.mass.mean for each in results}

    def tables(self, results: Sequence[Localisation]) -> tuple[Table, ...]:
        """Return a row for each method, and one for a map without any preference."""
        first = results[0]
        parts = len(first.parts) if len(first.parts) <= MOST_PARTS else 0
        whole = first.whole.name
        columns = (
            "map",
            f"peak on {whole}",
            f"mass on {whole}",
            *(f"peak on {part.name}" for part in first.parts[:parts]),
            "maps",
        )
        rows: list[tuple[TableCell | str, ...]] = [
            (
                method_label(each.of),
                interval_cell(each.whole.peaks),
                interval_cell(each.whole.mass),
                *(interval_cell(part.peaks) for part in each.parts[:parts]),
                str(each.maps),
            )
            for each in results
        ]
        chance = (
            number(first.whole.peaks_by_chance),
            number(first.whole.mass_by_chance),
            *(number(part.peaks_by_chance) for part in first.parts[:parts]),
        )
        rows.append(("by chance", *chance, ""))
        return (measure_table("Localisation", columns, rows, self.meaning),)

    def findings(self, results: Sequence[Localisation]) -> tuple[str, ...]:
        """Say how many peaks of each method are on any object part."""
        whole = results[0].whole
        points = ", ".join(
            f"{method_label(each.of)} {percent(each.whole.peaks.mean)}" for each in results
        )
        chance = percent(whole.peaks_by_chance)
        sentence = f"The map's peak is on a known part ({whole.name}): {points}; any cell {chance}."
        return (sentence,)
