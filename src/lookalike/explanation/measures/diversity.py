"""Diversity of groups: how far their maps overlap, and how similar their vectors are."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import normalize

from lookalike.data import Catalog, EvaluationBatches
from lookalike.errors import UsageError
from lookalike.explanation.groups.maps import GROUP_MAPS, GroupMap, group_map
from lookalike.explanation.measures.interval_text import interval_cell
from lookalike.explanation.measures.measure import (
    ONE_GROUP,
    Measure,
    Outcome,
    Quantity,
    Study,
    measure_table,
)
from lookalike.model import Model, evaluating
from lookalike.progress import Progress
from lookalike.rendering.numbers import number
from lookalike.rendering.tables import Table
from lookalike.statistics.bootstrap import Interval, bootstrap_interval

QUARTER = 4
"""One of this many cells is among a map's highest."""


@dataclass(frozen=True, slots=True)
class GroupDiversity:
    """How similar the groups of a model are: means over pairs of groups, intervals over pictures.

    Args:
        of: Which maps of the groups.
        groups: Their number; with one group nothing can be compared, and the rest is None.
        pictures: Number of pictures.
        map_cosine: Cosine of two groups' maps: 1 is the same place, 0 no cell in common.
        map_overlap: Intersection over union of the highest quarters of two maps' cells. About 1/7
            for quarters drawn at random. Cells at zero are in no quarter; of cells with the same
            value at its end, the first are in it.
        vector_cosine: Cosine of two groups' vectors in one picture. Also None where a group has
            only one number, like a graph's nodes.
        vector_spread: Its standard deviation over pairs of groups and pictures.
    """

    of: GroupMap
    groups: int
    pictures: int
    map_cosine: Interval | None
    map_overlap: Interval | None
    vector_cosine: Interval | None
    vector_spread: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers under their names."""
        return asdict(self)


@torch.no_grad()
def measure_diversity(
    model: Model,
    catalog: Catalog,
    *,
    maps: Sequence[GroupMap] = GROUP_MAPS,
    seed: int = 0,
    batch_size: int = 64,
) -> tuple[GroupDiversity, ...]:
    """Measure how similar the groups of a model are, over all pictures of a catalog.

    Every picture goes through the network once, for all kinds of maps.

    Args:
        model: Whose groups.
        catalog: Which pictures.
        maps: Which: "attention" is where the head says that the group looks, "tokens" the length
            of what each position adds to the group's vector.
        seed: Of the intervals.
        batch_size: How many pictures go through the network at once.

    Returns:
        A result for each of `maps`, in this order.

    Raises:
        UsageError: The catalog is empty.
        ImageError: A picture cannot be read; it is named.
    """
    if not len(catalog):
        raise UsageError(f"{catalog.root}: there are no pictures to look through")
    groups = model.head.groups
    if groups == 1:
        return tuple(GroupDiversity(of, 1, len(catalog), None, None, None, None) for of in maps)
    cosines: list[list[float]] = [[] for _ in maps]
    overlaps: list[list[float]] = [[] for _ in maps]
    vectors: list[tuple[float, float]] = []
    for batch in EvaluationBatches(catalog, model.preprocessing, batch_size=batch_size):
        with evaluating(model):
            features = model.features(batch.images.to(model.device))
            seen = [group_map(model, features, of).flatten(2).cpu().double() for of in maps]
            if model.head.dim > 1:
                found = model.head(features).levels[0].vectors.cpu().double()
                vectors += [_moments(_cosine(values)) for values in found]
        for i, flat in enumerate(seen):
            cosines[i] += [_moments(_cosine(values))[0] for values in flat]
            overlaps[i] += [_moments(_overlap(values))[0] for values in _highest(flat)]
    means = [mean for mean, _ in vectors]
    vector_cosine = bootstrap_interval(means, seed=seed) if vectors else None
    return tuple(
        GroupDiversity(
            of=of,
            groups=groups,
            pictures=len(catalog),
            map_cosine=bootstrap_interval(cosines[i], seed=seed),
            map_overlap=bootstrap_interval(overlaps[i], seed=seed),
            vector_cosine=vector_cosine,
            vector_spread=_spread(vectors) if vectors else None,
        )
        for i, of in enumerate(maps)
    )


def _cosine(values: Float[Tensor, "g d"]) -> Float[Tensor, "g g"]:
    unit = normalize(values, dim=1)
    return unit @ unit.T


def _highest(maps: Float[Tensor, "n g p"]) -> Bool[Tensor, "n g p"]:
    """Return which cells are among the highest quarter of their map, and above zero."""
    count = max(1, maps.shape[2] // QUARTER)
    order = maps.argsort(dim=2, descending=True, stable=True)[..., :count]
    return torch.zeros_like(maps, dtype=torch.bool).scatter(2, order, value=True) & (maps > 0)


def _overlap(cells: Bool[Tensor, "g p"]) -> Float[Tensor, "g g"]:
    """Return intersection over union of each two sets of cells; none is empty."""
    counted = cells.double()
    both = counted @ counted.T
    sizes = counted.sum(dim=1)
    return both / (sizes[:, None] + sizes - both)


def _moments(table: Float[Tensor, "g g"]) -> tuple[float, float]:
    """Return the means of a table's values and of their squares, without its diagonal."""
    apart = ~torch.eye(len(table), dtype=torch.bool)
    values = table[apart]
    return float(values.mean()), float(values.square().mean())


def _spread(moments: list[tuple[float, float]]) -> float:
    mean, square = torch.tensor(moments, dtype=torch.float64).mean(dim=0)
    return float((square - mean**2).clamp(min=0).sqrt())


class DiversityMeasure(Measure[GroupDiversity]):
    """How similar the maps and the vectors of two groups are."""

    key = "diversity"
    label = "diversity"
    meaning = (
        "Means over pairs of groups. Cosine of maps: 1 is the same place, 0 no cell in common. "
        "Overlap: of the highest quarters of two maps, intersection over union; about 0.14 for "
        "quarters drawn at random. Cosine of vectors: of the two groups' parts of the embedding."
    )
    of_methods = False
    heading = "Explanations: groups"
    reading = (
        "By the length of what each position adds to a group's vector; one group alone has none of "
        "these."
    )
    quantities = (
        Quantity(
            "group_map_cosine",
            "cosine of maps",
            "cosine of two groups' maps in one picture: 1 is the same place",
            better="none",
        ),
        Quantity(
            "group_map_overlap",
            "overlap of maps",
            "intersection over union of the highest quarters of two groups' maps; about 0.14 for "
            "quarters drawn at random",
            better="none",
        ),
        Quantity(
            "group_vector_cosine",
            "cosine of vectors",
            "cosine of two groups' vectors in one picture",
            better="none",
        ),
    )

    def why_not(self, study: Study) -> str | None:
        """Return that there is one group only."""
        return ONE_GROUP if study.model.head.groups == 1 else None

    def run(self, study: Study, progress: Progress | None = None) -> Outcome[GroupDiversity]:
        """Measure both kinds of maps."""
        found = measure_diversity(
            study.model, study.pictures, seed=study.seed, batch_size=study.batch_size
        )
        return Outcome(found)

    def numbers(self, results: Sequence[GroupDiversity]) -> dict[str, float]:
        """Return the means of token lengths: every head has those."""
        named = {
            f"group_{name}": getattr(each, name)
            for each in results
            if each.of == "tokens"
            for name in ("map_cosine", "map_overlap", "vector_cosine")
        }
        return {name: interval.mean for name, interval in named.items() if interval is not None}

    def tables(self, results: Sequence[GroupDiversity]) -> tuple[Table, ...]:
        """Return a row for each kind of map."""
        columns = ("maps", "cosine of maps", "overlap", "cosine of vectors", "its spread")
        rows = [
            (
                each.of,
                interval_cell(each.map_cosine),
                interval_cell(each.map_overlap),
                interval_cell(each.vector_cosine),
                "–" if each.vector_spread is None else number(each.vector_spread),
            )
            for each in results
        ]
        return (measure_table("Diversity of groups", columns, rows, self.meaning),)

    def findings(self, results: Sequence[GroupDiversity]) -> tuple[str, ...]:
        """Say how similar two groups' maps are, for each kind of map."""
        return tuple(
            f"Two groups' maps, {each.of}: cosine {number(each.map_cosine.mean)}."
            for each in results
            if each.map_cosine is not None
        )
