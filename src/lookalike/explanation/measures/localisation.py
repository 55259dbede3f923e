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
import numpy.typing as npt
from jaxtyping import Float, Float64
from torch import Tensor

from lookalike.data import Catalog
from lookalike.errors import UsageError
from lookalike.explanation.groups.maps import GROUP_MAPS, GroupMap
from lookalike.explanation.measures.interval_text import interval_cell
from lookalike.explanation.measures.maps_on_object_parts import (
    Shares,
    by_chance,
    group_maps_on_parts,
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
from lookalike.explanation.measures.pairs import read_pairs, same_class_pairs
from lookalike.explanation.measures.receptive_field import Offset, receptive_field_offset
from lookalike.explanation.saliency import Method, saliency_of
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
        of: The name of the method, or which maps of the groups.
        whole: On any object part: on the figure, or near any keypoint.
        parts: On each object part.
        maps: Number of maps; of groups, number of pictures.
        left_out: Maps without a value above zero; of groups, pictures without known object parts.
    """

    of: str
    whole: PartShare
    parts: tuple[PartShare, ...]
    maps: int
    left_out: int

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers under their names."""
        return asdict(self)


@dataclass(frozen=True, slots=True, eq=False)
class GroupLocalisation:
    """Where the maps of a model's groups point.

    Args:
        overall: Of all groups: in each picture, the mean over groups is taken first.
        columns: The object parts, and last none of them.
        peaks: For each group, the share of pictures in which its peak is on each column.
        mass: For each group, the share of its mass that is on each column.
    """

    overall: Localisation
    columns: tuple[str, ...]
    peaks: Float64[npt.NDArray[Any], "g columns"]
    mass: Float64[npt.NDArray[Any], "g columns"]

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers under their names."""
        return {
            "overall": self.overall.as_dict(),
            "columns": list(self.columns),
            "peaks": self.peaks.tolist(),
            "mass": self.mass.tolist(),
        }


def measure_localisation(
    model: Model,
    catalog: Catalog,
    methods: Sequence[Method],
    *,
    count: int = 200,
    seed: int = 0,
    batch_size: int = 64,
) -> tuple[Localisation, ...]:
    """Measure where saliency methods point, on the same pairs of pictures of one class.

    The maps over both pictures of a pair count.

    Args:
        model: What scores the pairs.
        catalog: Pictures whose object parts are known, from keypoints or masks.
        methods: At least one.
        count: Number of pairs, at most.
        seed: Of the choice of pairs and of the intervals.
        batch_size: Pictures that go through the network at once.

    Raises:
        UsageError: No object parts are known, no class has two pictures, or none of a method's
            maps has a value above zero.
        ImageError: A picture cannot be read; it is named.
    """
    known = known_parts(catalog)
    pairs = same_class_pairs(known.catalog, count, seed=seed)
    a, b = read_pairs(known.catalog, pairs, model.preprocessing, batch_size=batch_size)
    queries = [query for query, _ in pairs]
    offset_of = cache(partial(receptive_field_offset, model))
    found = []
    for method in methods:
        maps = saliency_of(method, model, a, b, batch_size=batch_size)
        every: list[_OnParts | None] = []
        for values, rows in zip((maps.a, maps.b), zip(*pairs, strict=True), strict=True):
            grid = (values.shape[1], values.shape[2])
            offset = offset_of(grid) if method.grid == "positions" else (0.0, 0.0)
            every += _on_parts(model, known, values, rows, offset=offset)
        found.append(_localisation(known, method.name, every, clusters=queries * 2, seed=seed))
    return tuple(found)


def measure_group_localisation(
    model: Model,
    catalog: Catalog,
    *,
    maps: Sequence[GroupMap] = GROUP_MAPS,
    offset: Offset | None = None,
    seed: int = 0,
    batch_size: int = 128,
) -> tuple[GroupLocalisation, ...]:
    """Measure where the maps of a model's groups point, over all pictures of a catalog.

    Every picture goes through the network once, for all kinds of maps.

    Args:
        model: Whose groups.
        catalog: Pictures whose object parts are known, from keypoints or masks.
        maps: Which: "attention" is where the head says that the group looks, "tokens" the length
            of what each position adds to the group's vector.
        offset: Of the cells' receptive fields; measured by `receptive_field_offset` if None.
        seed: Of the intervals.
        batch_size: How many pictures go through the network at once.

    Returns:
        A result for each of `maps`, in this order.

    Raises:
        UsageError: No object parts are known.
        ImageError: A picture cannot be read; it is named.
    """
    known = known_parts(catalog)
    shares: list[list[_OnParts]] = [[] for _ in maps]
    for picture in group_maps_on_parts(
        model, known, maps=maps, offset=offset, batch_size=batch_size
    ):
        for seen, (values, under) in zip(shares, picture, strict=True):
            seen.append(_OnParts(shares_of(values, under), by_chance(under)))
    left_out = len(catalog) - len(known.catalog)
    found = []
    for of, seen in zip(maps, shares, strict=True):
        means = [_OnParts(Shares(*(s.mean(axis=0) for s in own)), any_) for own, any_ in seen]
        overall = _localisation(known, of, means, clusters=range(len(seen)), seed=seed)
        peaks, mass = (np.mean(each, axis=0) for each in zip(*(s for s, _ in seen), strict=True))
        found.append(
            GroupLocalisation(replace(overall, left_out=left_out), known.columns, peaks, mass)
        )
    return tuple(found)


class _OnParts(NamedTuple):
    """What one picture's map, or maps, and a map without preference have on each column."""

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
                found += measure_localisation(
                    study.model,
                    study.catalog,
                    [method],
                    count=study.count,
                    seed=study.seed,
                    batch_size=study.batch_size,
                )
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
