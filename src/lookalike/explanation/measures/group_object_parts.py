"""The object parts under the peaks of groups: which, and how consistently."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from jaxtyping import Float64, Int64

from lookalike.data import Catalog
from lookalike.errors import UsageError
from lookalike.explanation.account.group_names import GroupNames
from lookalike.explanation.groups.maps import GROUP_MAPS, GroupMap
from lookalike.explanation.measures.maps_on_object_parts import by_chance, group_maps_on_parts
from lookalike.explanation.measures.measure import (
    ONE_GROUP,
    Measure,
    Outcome,
    Quantity,
    Study,
    measure_table,
)
from lookalike.explanation.measures.object_parts import known_parts, unknown_parts
from lookalike.explanation.measures.receptive_field import Offset
from lookalike.model import Model
from lookalike.progress import Progress
from lookalike.rendering.numbers import number, percent
from lookalike.rendering.tables import Table
from lookalike.statistics.bootstrap import Array
from lookalike.statistics.information import mutual_information

SHUFFLES = 10
"""How often groups are exchanged within pictures, for the information by chance."""
MOST_GROUPS = 16
"""Groups with a row of their own in a table; the JSON has all."""


@dataclass(frozen=True, slots=True, eq=False)
class PeakParts:
    """On which object part each group's map peaks, in each picture.

    Args:
        of: Which maps of the groups.
        columns: What a peak can be on: the object parts, and last none of them.
        codes: The column of each picture and group.
        labels: The class of each picture.
        chance: The share of a map's cells whose middle is on each column, mean over pictures:
            that of a peak in any cell.
        left_out: Pictures of the catalog without known object parts.
    """

    of: GroupMap
    columns: tuple[str, ...]
    codes: Int64[npt.NDArray[Any], "n g"]
    labels: Int64[npt.NDArray[Any], " n"]
    chance: Float64[npt.NDArray[Any], " columns"]
    left_out: int

    @property
    def counts(self) -> Int64[npt.NDArray[Any], "g columns"]:
        """In how many pictures each group peaks on what."""
        return _counts(self.codes, len(self.columns))

    @property
    def information(self) -> float:
        """Mutual information between group and object part, bits."""
        return mutual_information(self.counts)

    @property
    def counts_by_class(self) -> Int64[npt.NDArray[Any], "c g columns"]:
        """The same for the pictures of each class."""
        classes, member = np.unique(self.labels, return_inverse=True)
        groups, columns = self.codes.shape[1], len(self.columns)
        cell = (member[:, None] * groups + np.arange(groups)) * columns + self.codes
        counts = np.bincount(cell.ravel(), minlength=len(classes) * groups * columns)
        return counts.reshape(len(classes), groups, columns)


@dataclass(frozen=True, slots=True, eq=False)
class GroupParts:
    """What the groups of a model respond to, by the object parts under the peaks of their maps.

    "None of the object parts" counts as one more object part here. Shares are in [0, 1].

    Args:
        peaks: In each picture.
        information: Mutual information between group and object part, bits: how much knowing the
            group tells about the object part under its peak. At most log₂ of the number of groups.
        information_by_chance: The same with the groups of each picture exchanged at random, mean
            over several times: few pictures give more than zero by chance alone.
        most_common: For each group the column on which it peaks most often.
        purity: For each group the share of pictures in which it peaks there.
        within_class: For each group the share of pictures in which it peaks on the column that is
            most common in the picture's class. Small classes raise it; they do not raise
            `same_class`.
        same_class: For each group the share of pairs of pictures of one class in which it peaks on
            the same column; NaN without such pairs.
        other_class: The same among pairs of different classes.
        entropy: For each group the entropy of the columns it peaks on, bits: 0 is always the same.
    """

    peaks: PeakParts
    information: float
    information_by_chance: float
    most_common: Int64[npt.NDArray[Any], " g"]
    purity: Float64[npt.NDArray[Any], " g"]
    within_class: Float64[npt.NDArray[Any], " g"]
    same_class: Float64[npt.NDArray[Any], " g"]
    other_class: Float64[npt.NDArray[Any], " g"]
    entropy: Float64[npt.NDArray[Any], " g"]

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers under their names, groups one by one and their means."""
        shares = {
            "purity": self.purity,
            "within_class": self.within_class,
            "same_class": self.same_class,
            "other_class": self.other_class,
            "entropy": self.entropy,
        }
        return {
            "of": self.peaks.of,
            "columns": list(self.peaks.columns),
            "pictures": len(self.peaks.codes),
            "left_out": self.peaks.left_out,
            "chance": self.peaks.chance.tolist(),
            "information": self.information,
            "information_by_chance": self.information_by_chance,
            "mean": {name: _plain(values.mean()) for name, values in shares.items()},
            "counts": self.peaks.counts.tolist(),
            "most_common": [self.peaks.columns[column] for column in self.most_common],
        } | {name: [_plain(value) for value in values] for name, values in shares.items()}


def peak_parts(
    model: Model,
    catalog: Catalog,
    *,
    maps: Sequence[GroupMap] = GROUP_MAPS,
    offset: Offset | None = None,
    batch_size: int = 128,
) -> tuple[PeakParts, ...]:
    """Look up the object part under the peak of each group's map, in every picture of a catalog.

    Every picture goes through the network once, for all kinds of maps. The middle of a cell counts.
    Of cells with the same highest value the first is taken, so maps that are the same everywhere
    carry no information.

    Args:
        model: Whose groups.
        catalog: Pictures whose object parts are known, from keypoints or masks.
        maps: Which: "attention" is where the head says that the group looks, "tokens" the length
            of what each position adds to the group's vector.
        offset: Of the cells' receptive fields; measured by `receptive_field_offset` if None.
            (0, 0) is where cells are drawn.
        batch_size: How many pictures go through the network at once.

    Returns:
        A result for each of `maps`, in this order.

    Raises:
        UsageError: No object parts are known.
        ImageError: A picture cannot be read; it is named.
    """
    known = known_parts(catalog)
    codes: list[list[npt.NDArray[np.int64]]] = [[] for _ in maps]
    chance = np.zeros((len(maps), len(known.columns)))
    looked = group_maps_on_parts(model, known, maps=maps, offset=offset, batch_size=batch_size)
    for picture in looked:
        for i, (values, under) in enumerate(picture):
            codes[i].append(under.centre[values.argmax(axis=1)])
            chance[i] += by_chance(under).peaks[0]
    pictures = len(known.catalog)
    return tuple(
        PeakParts(
            of=of,
            columns=known.columns,
            codes=np.stack(codes[i]),
            labels=known.catalog.labels,
            chance=chance[i] / pictures,
            left_out=len(catalog) - pictures,
        )
        for i, of in enumerate(maps)
    )


def describe_groups(peaks: PeakParts, *, seed: int = 0) -> GroupParts:
    """Describe which object parts groups peak on.

    Args:
        peaks: From `peak_parts`.
        seed: Of the exchanges of `information_by_chance`.
    """
    counts, pictures = peaks.counts, len(peaks.codes)
    random = np.random.default_rng(seed)
    exchanged = [
        mutual_information(_counts(random.permuted(peaks.codes, axis=1), len(peaks.columns)))
        for _ in range(SHUFFLES)
    ]
    by_class = peaks.counts_by_class
    same, other = _agreement(by_class)
    return GroupParts(
        peaks=peaks,
        information=peaks.information,
        information_by_chance=float(np.mean(exchanged)),
        most_common=counts.argmax(axis=1),
        purity=counts.max(axis=1) / pictures,
        within_class=by_class.max(axis=2).sum(axis=0) / pictures,
        same_class=same,
        other_class=other,
        entropy=_entropy(counts / pictures),
    )


def _counts(
    codes: Int64[npt.NDArray[Any], "n g"], columns: int
) -> Int64[npt.NDArray[Any], "g columns"]:
    groups = codes.shape[1]
    cell = np.arange(groups) * columns + codes
    return np.bincount(cell.ravel(), minlength=groups * columns).reshape(groups, columns)


def _agreement(by_class: Int64[npt.NDArray[Any], "c g columns"]) -> tuple[Array, Array]:
    """Return the shares of pairs, of one class and of different ones, with the same column."""
    pictures = by_class.sum(axis=2)
    of_class, of_all = pictures.sum(axis=0), by_class.sum(axis=0)
    alike_in_class = (by_class**2).sum(axis=(0, 2))
    pairs_in_class = (pictures**2).sum(axis=0)
    with np.errstate(invalid="ignore"):  # 0 / 0 where there are no such pairs
        same = (alike_in_class - of_class) / (pairs_in_class - of_class)
        other = ((of_all**2).sum(axis=1) - alike_in_class) / (of_class**2 - pairs_in_class)
    return same, other


def _entropy(shares: Float64[npt.NDArray[Any], "g columns"]) -> Array:
    logarithms = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    entropy: Array = -(shares * logarithms).sum(axis=1) + 0.0  # never minus zero
    return entropy


def _plain(value: np.floating[Any]) -> float | None:
    return None if np.isnan(value) else float(value)


def name_groups(peaks: PeakParts, *, at_least: float = 0.0) -> GroupNames:
    """Name each group after the object part that its map peaks on most often.

    A group that peaks there no more often than by chance has no name.

    Args:
        peaks: From `peak_parts`.
        at_least: In which share of pictures, in [0, 1], a group must peak on an object part to be
            named after it.

    Raises:
        UsageError: There is no such share.
    """
    if not 0 <= at_least <= 1:
        raise UsageError(f"at_least = {at_least:g}: a share of pictures lies between 0 and 1")
    parts = len(peaks.columns) - 1
    counted = peaks.counts[:, :parts] / len(peaks.codes)
    most = counted.argmax(axis=1)
    rows = [
        (peaks.columns[part], float(share), float(peaks.chance[part]))
        if share > peaks.chance[part] and share >= at_least
        else (None, None, None)
        for part, share in zip(most, counted.max(axis=1), strict=True)
    ]
    names, shares, chances = zip(*rows, strict=True)
    return GroupNames(names, shares, chances)


def measure_groups(
    model: Model,
    catalog: Catalog,
    *,
    maps: Sequence[GroupMap] = GROUP_MAPS,
    seed: int = 0,
    batch_size: int = 128,
) -> tuple[GroupParts, ...]:
    """Measure which object parts the groups of a model peak on; see `peak_parts`."""
    peaks = peak_parts(model, catalog, maps=maps, batch_size=batch_size)
    return tuple(describe_groups(each, seed=seed) for each in peaks)


class ObjectPartsMeasure(Measure[GroupParts]):
    """The object parts under the peaks of the groups' maps."""

    key = "groups"
    label = "parts under the groups' peaks"
    meaning = (
        "On which known part the map of each group peaks, over all pictures. Information: bits "
        "that the group tells about the part under its peak; chance is the same with the groups of "
        "each picture exchanged. Purity: share of pictures in which a group peaks on its most "
        "common part. Same class, other class: share of pairs of pictures in which it peaks on the "
        "same part."
    )
    of_methods = False
    heading = "Explanations: groups"
    reading = (
        "By the length of what each position adds to a group's vector; one group alone has none of "
        "these."
    )
    quantities = (
        Quantity(
            "group_purity",
            "purity",
            "share of pictures in which a group's map peaks on its most common part, mean over "
            "groups",
        ),
        Quantity(
            "group_same_class",
            "same part, same class",
            "share of pairs of pictures of one class in which a group peaks on the same part",
        ),
        Quantity(
            "group_other_class",
            "same part, other class",
            "the same for pairs of pictures of different classes",
        ),
    )

    def why_not(self, study: Study) -> str | None:
        """Return that there is one group only, or why no object parts are known."""
        if study.model.head.groups == 1:
            return ONE_GROUP
        return unknown_parts(study.catalog)

    def run(self, study: Study, progress: Progress | None = None) -> Outcome[GroupParts]:
        """Measure the peaks of both kinds of maps."""
        found = measure_groups(
            study.model, study.pictures, seed=study.seed, batch_size=study.batch_size
        )
        return Outcome(found)

    def numbers(self, results: Sequence[GroupParts]) -> dict[str, float]:
        """Return means over groups, by the lengths of tokens: every head has those."""
        numbers: dict[str, float] = {}
        for parts in (each for each in results if each.peaks.of == "tokens"):
            numbers["group_purity"] = float(parts.purity.mean())
            same, other = float(parts.same_class.mean()), float(parts.other_class.mean())
            if same == same and other == other:  # there are pairs of either kind
                numbers |= {"group_same_class": same, "group_other_class": other}
        return numbers

    def tables(self, results: Sequence[GroupParts]) -> tuple[Table, ...]:
        """Return a table of all groups together, and one of each group for each kind of map."""
        columns = (
            "maps",
            "information, bits",
            "by chance",
            "at most",
            "purity",
            "same class",
            "other",
        )
        rows = [
            (
                parts.peaks.of,
                number(parts.information),
                number(parts.information_by_chance),
                number(math.log2(len(parts.purity))),
                number(parts.purity.mean()),
                number(parts.same_class.mean()),
                number(parts.other_class.mean()),
            )
            for parts in results
        ]
        together = measure_table("Groups and parts", columns, rows, self.meaning)
        return (together, *map(_each_group, results))

    def findings(self, results: Sequence[GroupParts]) -> tuple[str, ...]:
        """Say how much groups tell about object parts, for each kind of map."""
        return tuple(
            f"Groups and parts, {parts.peaks.of}: {number(parts.information)} bits "
            f"({number(parts.information_by_chance)} by chance)."
            for parts in results
        )


def _each_group(parts: GroupParts) -> Table:
    """Say how often each group peaks on each object part."""
    groups = len(parts.purity)
    shown = min(groups, MOST_GROUPS)
    counts = parts.peaks.counts / len(parts.peaks.codes)
    rows = [
        (
            f"group {group}",
            *map(percent, counts[group]),
            number(parts.same_class[group]),
            number(parts.other_class[group]),
        )
        for group in range(shown)
    ]
    rows.append(("any cell", *map(percent, parts.peaks.chance), "", ""))
    some = f"the first {shown} of {groups}" if shown < groups else f"all {groups}"
    columns = ("group", *parts.peaks.columns, "same class", "other class")
    return measure_table(f"Where the {parts.peaks.of} of groups peak, {some}", columns, rows)
