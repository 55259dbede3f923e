"""Do groups differ? How far their maps overlap, and how alike their vectors are."""

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
from lookalike.explanation.measures.measure import Measure, Outcome, Quantity, Study
from lookalike.model import Model, evaluating
from lookalike.progress import Progress
from lookalike.statistics.bootstrap import Interval, bootstrap_interval

QUARTER = 4
"""One cell of so many is among a map's highest."""


@dataclass(frozen=True, slots=True)
class Diversity:
    """How alike the groups of a model are, as means over pairs of groups; intervals over pictures.

    Args:
        of: Which maps of the groups.
        groups: How many there are; with one alone nothing can be compared, and all else is None.
        pictures: How many were looked at.
        map_cosine: Cosine of two groups' maps: 1 is the same place, 0 places without a common cell.
        map_overlap: Of the highest quarter of either map's cells, the share that is in both:
            intersection over union. About 1/7 for quarters drawn at random. Cells at zero are in
            no quarter; of cells that tie for its end, the first are in it.
        vector_cosine: Cosine of two groups' vectors in one picture. None too where a group has
            one number alone, as a graph's nodes do.
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
) -> tuple[Diversity, ...]:
    """Measure how alike the groups of a model are, over all pictures of a catalog.

    Every picture goes through the network once, whichever maps are asked for.

    Args:
        model: Whose groups.
        catalog: Which pictures.
        maps: Which: "attention" is where the head says that the group looks, "tokens" the length
            of what each position adds to the group's vector.
        seed: Of the intervals.
        batch_size: How many pictures go through the network at once.

    Returns:
        What was found for each of `maps`, in this order.

    Raises:
        UsageError: The catalog is empty.
        ImageError: A picture cannot be read; it is named.
    """
    if not len(catalog):
        raise UsageError(f"{catalog.root}: there are no pictures to look through")
    groups = model.head.groups
    if groups == 1:
        return tuple(Diversity(of, 1, len(catalog), None, None, None, None) for of in maps)
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
        Diversity(
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
    """Say which cells are among the highest quarter of their map, and above zero."""
    count = max(1, maps.shape[2] // QUARTER)
    order = maps.argsort(dim=2, descending=True, stable=True)[..., :count]
    return torch.zeros_like(maps, dtype=torch.bool).scatter(2, order, value=True) & (maps > 0)


def _overlap(cells: Bool[Tensor, "g p"]) -> Float[Tensor, "g g"]:
    """Return intersection over union of any two sets of cells; none is empty."""
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


class DiversityMeasure(Measure[Diversity]):
    """How alike the maps and the vectors of two groups are."""

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
        """Return whether there is one group only."""
        return "this head has one group alone" if study.model.head.groups == 1 else None

    def run(self, study: Study, progress: Progress | None = None) -> Outcome[Diversity]:
        """Measure both kinds of maps."""
        found = measure_diversity(
            study.model, study.pictures, seed=study.seed, batch_size=study.batch_size
        )
        return Outcome(found)

    def numbers(self, results: Sequence[Diversity]) -> dict[str, float]:
        """Return the means of token lengths: every head has those."""
        named = {
            f"group_{name}": getattr(each, name)
            for each in results
            if each.of == "tokens"
            for name in ("map_cosine", "map_overlap", "vector_cosine")
        }
        return {name: interval.mean for name, interval in named.items() if interval is not None}
