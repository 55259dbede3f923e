"""Do maps point at the parts that are known? The pointing game, and mass inside the parts.

The pointing game (Zhang et al., "Top-down neural attention by excitation backprop", ECCV 2016)
asks whether a map's highest cell is on the part, mass how much of the map is. Beside each figure
stands what a map without any preference would get.
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
from lookalike.explanation.measures.cell_offset import Offset, cell_offset
from lookalike.explanation.measures.known_parts import (
    KnownParts,
    cells_of,
    known_parts,
    unknown_parts,
)
from lookalike.explanation.measures.maps import saliency_of
from lookalike.explanation.measures.maps_over_parts import (
    Shares,
    by_chance,
    group_maps_over_parts,
    shares_of,
)
from lookalike.explanation.measures.measure import Measure, Outcome, Quantity, Study
from lookalike.explanation.measures.pairs import read_pairs, same_class_pairs
from lookalike.explanation.saliency import Method
from lookalike.model import Model
from lookalike.progress import Progress
from lookalike.statistics.bootstrap import Interval, bootstrap_interval


@dataclass(frozen=True, slots=True)
class PartShare:
    """How much of the maps is on a part.

    Args:
        name: The part.
        peaks: Share of maps whose peak is on it.
        peaks_by_chance: What a peak in any cell would get.
        mass: Share of the maps' mass, as far as it is above zero, that lies on it.
        mass_by_chance: What a uniform map would get: the part's share of the area.
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
        whole: On any part: the figure, or near any keypoint.
        parts: On each.
        maps: How many maps were looked at; of groups, in how many pictures.
        left_out: Maps without a value above zero; of groups, pictures in which no part is known.
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
        overall: Of all groups: the mean over groups is taken in each picture first.
        columns: The parts, and last what is none of them.
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


def localise(
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
        catalog: Pictures whose parts are known, from keypoints or masks.
        methods: At least one.
        count: Pairs, at most.
        seed: Of the choice of pairs and of the intervals.
        batch_size: Pictures that go through the network at once.

    Raises:
        UsageError: No parts are known, no class has two pictures, or none of a method's maps has
            a value above zero.
        ImageError: A picture cannot be read; it is named.
    """
    known = known_parts(catalog)
    pairs = same_class_pairs(known.catalog, count, seed=seed)
    a, b = read_pairs(known.catalog, pairs, model.preprocessing, batch_size=batch_size)
    queries = [query for query, _ in pairs]
    offset_of = cache(partial(cell_offset, model))
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


def localise_groups(
    model: Model,
    catalog: Catalog,
    *,
    maps: Sequence[GroupMap] = GROUP_MAPS,
    offset: Offset | None = None,
    seed: int = 0,
    batch_size: int = 128,
) -> tuple[GroupLocalisation, ...]:
    """Measure where the maps of a model's groups point, over all pictures of a catalog.

    Every picture goes through the network once, whichever maps are asked for.

    Args:
        model: Whose groups.
        catalog: Pictures whose parts are known, from keypoints or masks.
        maps: Which: "attention" is where the head says that the group looks, "tokens" the length
            of what each position adds to the group's vector.
        offset: Where cells really look; measured by `cell_offset` if None.
        seed: Of the intervals.
        batch_size: How many pictures go through the network at once.

    Returns:
        What was found for each of `maps`, in this order.

    Raises:
        UsageError: No parts are known.
        ImageError: A picture cannot be read; it is named.
    """
    known = known_parts(catalog)
    found = [_GroupsOnParts(model.head.groups, len(known.columns)) for _ in maps]
    looked = group_maps_over_parts(model, known, maps=maps, offset=offset, batch_size=batch_size)
    for picture in looked:
        for seen, over in zip(found, picture, strict=True):
            seen.add(shares_of(over.maps, over.cells), by_chance(over.cells))
    pictures = len(known.catalog)
    left_out = len(catalog) - pictures
    return tuple(
        GroupLocalisation(
            replace(
                _localisation(known, of, seen.every, clusters=range(pictures), seed=seed),
                left_out=left_out,
            ),
            known.columns,
            seen.peaks / pictures,
            seen.mass / pictures,
        )
        for of, seen in zip(maps, found, strict=True)
    )


class _OnParts(NamedTuple):
    """What one map, and a map without any preference, has on each column."""

    shares: Shares
    chance: Shares


class _GroupsOnParts:
    """What the groups' maps have on each column: each group's sums, each picture's means."""

    def __init__(self, groups: int, columns: int) -> None:
        self.peaks, self.mass = np.zeros((groups, columns)), np.zeros((groups, columns))
        self.every: list[_OnParts] = []

    def add(self, shares: Shares, chance: Shares) -> None:
        """Take in one picture."""
        self.peaks += shares.peaks
        self.mass += shares.mass
        self.every.append(_OnParts(Shares(*(s.mean(axis=0) for s in shares)), chance))


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
        cells = cells_of(known, row, model.preprocessing, grid, offset=offset)
        above = values.max() > 0
        flat = values.reshape(1, -1)
        found.append(_OnParts(shares_of(flat, cells), by_chance(cells)) if above else None)
    return found


def _localisation(
    known: KnownParts,
    of: str,
    every: Sequence[_OnParts | None],
    *,
    clusters: Sequence[int],
    seed: int,
) -> Localisation:
    """Put what was found for each map together."""
    kept = [(one, cluster) for one, cluster in zip(every, clusters, strict=True) if one is not None]
    if not kept:
        raise UsageError(f"{of}: no map has a value above zero, so none points at anything")
    tables = [
        np.stack([np.ravel(table) for table in (*one.shares, *one.chance)]) for one, _ in kept
    ]
    # Four numbers for each map and column, and what is on any part as one more column.
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
    """The pointing game, and mass on the known object parts."""

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
        """Measure each method by itself: one may have maps without a value above zero."""
        found: list[Localisation] = []
        left_out: list[str] = []
        for number, method in enumerate(study.methods):
            try:
                found += localise(
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
                progress(number + 1, len(study.methods))
        return Outcome(tuple(found), tuple(left_out))

    def numbers(self, results: Sequence[Localisation]) -> dict[str, float]:
        """Return the shares on any part."""
        pointing = {f"pointing_{each.of}": each.whole.peaks.mean for each in results}
        return pointing | {f"mass_{each.of}": each.whole.mass.mean for each in results}
