"""An explanation: the summands of one score, and whether they add up to it."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from lookalike.explanation.account.nodes import Nodes
from lookalike.explanation.account.pictured import Pictured as Pictured
from lookalike.explanation.account.region import Region, coverage
from lookalike.rendering.forms import Shown

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one group gave to the score.

    Args:
        name: The group, e.g. "group 0".
        value: In score units; below zero if it lowers the score.
        name_holds: Share of pictures, in [0, 1], in which a group looks at the object part that it
            is named after. None without such a name, or if it was not counted.
    """

    name: str
    value: float
    name_holds: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Explanation(Shown):
    """Why a model gives two pictures the score it gives them (METHODS 0).

    Every number is in score units and is a summand of the score itself; `gap` says how far the
    summands are from adding up. The features of a cell are computed from more of the picture than
    the cell. So a map shows which positions carried the score, not which pixels alone would.

    Args:
        score: The similarity of the two embeddings.
        groups: What each group contributed; in a graph, each level.
        maps: For either picture, groups × height × width: where its contribution comes from.
        attention: For either picture, groups × height × width: how much each group takes from
            each position; every map sums to one. In a graph, a map for each node of the highest
            level.
        regions: Positions of A × positions of B, in row-major order: what each pair contributed.
        pictures: A and B.
        percentile_same: Percent of held-out pairs of one class that score lower; None without a
            calibration.
        percentile_different: The same among pairs of different classes.
        together: The maps of both pictures add up to the score together, because they show what
            differs between the two. Otherwise the maps of each picture add up to the score.
        nodes: In a graph, the nodes of each level, from low to high.
        node_names: What the nodes of the highest level are called; None is a node without a name.
            Empty where there are no names.
    """

    score: float
    groups: tuple[Contribution, ...]
    maps: tuple[Array, Array]
    attention: tuple[Array, Array]
    regions: Array
    pictures: tuple[Pictured, Pictured]
    percentile_same: float | None = None
    percentile_different: float | None = None
    together: bool = False
    nodes: tuple[Nodes, ...] = ()
    node_names: tuple[str | None, ...] = ()

    @property
    def gap(self) -> float:
        """The largest absolute difference between a number shown and the sum of its parts.

        The score is compared with the sums of the groups, of the maps and of the regions. Each
        group's contribution is compared with the sums of its maps and, in a graph, of its nodes.
        """
        values = np.array([group.value for group in self.groups])
        by_group = [maps.sum(axis=(1, 2)) for maps in self.maps]
        if self.together:
            by_group = [by_group[0] + by_group[1]]
        if self.nodes:
            by_group.append(np.array([level.contribution.sum() for level in self.nodes]))
        sums = [values.sum(), *(group.sum() for group in by_group), self.regions.sum()]
        return float(
            max(
                *(abs(total - self.score) for total in sums),
                *(np.abs(group - values).max() for group in by_group),
            )
        )

    @property
    def grids(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Height and width of the maps over A and over B."""
        (_, ha, wa), (_, hb, wb) = self.maps[0].shape, self.maps[1].shape
        return (ha, wa), (hb, wb)

    @property
    def meaning(self) -> str | None:
        """What the score means among held-out pairs, in words; None without a calibration."""
        if self.percentile_different is None or self.percentile_same is None:
            return None
        return standing(different=self.percentile_different, same=self.percentile_same)

    def matches(self, region: Region, *, of: Literal["a", "b"] = "a") -> Array:
        """Return what each cell of the other picture contributed together with a region.

        Args:
            region: A cell (row, column); a box (left, top, right, bottom) in pixels of the
                upright original, cells counting by the share that it covers; or a boolean mask
                over the map's cells.
            of: The picture that the region is in.

        Returns:
            Height × width of the other picture's map, in score units; the sum is the region's
            whole contribution to the score.

        Raises:
            UsageError: There is no such region on the map.
        """
        here, there = (0, 1) if of == "a" else (1, 0)
        table = self.regions if of == "a" else self.regions.T
        shares = coverage(region, grid=self.grids[here], geometry=self.pictures[here].geometry)
        matched: Array = (shares.reshape(-1) @ table).reshape(self.grids[there])
        return matched

    def __str__(self) -> str:
        meaning = "" if self.meaning is None else f": {self.meaning}"
        width = max(12, *(len(group.name) for group in self.groups))
        lines = [f"{group.name:<{width}} {group.value:+.4f}" for group in self.groups]
        return "\n".join(
            [
                f"{'similarity':<{width}} {self.score:+.4f}{meaning}",
                *lines,
                f"{'gap':<{width}} {self.gap:.1e}",
                *self.sentences,
            ]
        )


def standing(*, different: float, same: float) -> str:
    """Say what percentiles mean, in words.

    >>> standing(different=99.97, same=41.26)
    'above 99.9 % of different pairs and 41.3 % of same pairs'
    >>> standing(different=100.0, same=0.0)
    'above all different pairs and 0.0 % of same pairs'
    """
    return f"above {_share(different)} different pairs and {_share(same)} same pairs"


def _share(percentile: float) -> str:
    """Write a percentile; only what is above all is rounded up to that."""
    return "all" if percentile >= 100 else f"{min(percentile, 99.9):.1f} % of"
