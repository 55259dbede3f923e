"""What groups are: the parts under their peaks, and how faithfully each keeps to its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from jaxtyping import Float64, Int64

from lookalike.data import Catalog
from lookalike.explanation.groups.maps import GROUP_MAPS, GroupMap
from lookalike.explanation.measures.cell_offset import Offset
from lookalike.explanation.measures.known_parts import known_parts, unknown_parts
from lookalike.explanation.measures.maps_over_parts import by_chance, group_maps_over_parts
from lookalike.explanation.measures.measure import Measure, Outcome, Quantity, Study
from lookalike.model import Model
from lookalike.progress import Progress
from lookalike.statistics.bootstrap import Array
from lookalike.statistics.information import mutual_information

SHUFFLES = 10
"""How often groups are exchanged within pictures, for the information that chance gives."""


@dataclass(frozen=True, slots=True, eq=False)
class PeakParts:
    """On which part each group's map peaks, in each picture.

    Args:
        of: Which maps of the groups.
        columns: What a peak can be on: the parts, and last what is none of them.
        codes: The column of each picture and group.
        labels: The class of each picture.
        chance: The share of a map's cells whose middle is on each column, mean over pictures:
            what a peak in any cell would get.
        left_out: Pictures of the catalog in which no part is known.
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
        """Mutual information between group and part, bits: how much one tells of the other."""
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
    """What the groups of a model are about, by the parts under the peaks of their maps.

    What is none of the parts counts as one more of them here. Shares are in [0, 1].

    Args:
        peaks: What was found in each picture.
        information: Mutual information between group and part, bits: how much it tells of the
            part to know which group's peak it is. At most log₂ of the number of groups.
        information_by_chance: The same with the groups of each picture exchanged at random, mean
            over several times: what small numbers of pictures feign.
        most_common: For each group the column on which it peaks most often.
        purity: For each group the share of pictures in which it peaks there.
        within_class: For each group the share of pictures in which it peaks on what it peaks on
            most often in the picture's class. Small classes raise it; `same_class` is free of that.
        same_class: For each group the share, among pairs of pictures of one class, of those in
            which it peaks on the same; NaN without such pairs.
        other_class: The same among pairs of different classes.
        entropy: For each group the entropy of what it peaks on, bits: 0 is always the same.
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
    """Look up what the peak of each group's map is on, in every picture of a catalog.

    Every picture goes through the network once, whichever maps are asked for. What counts is the
    middle of a cell. Of cells that tie for the peak the first is taken: maps that are the same
    everywhere tell nothing.

    Args:
        model: Whose groups.
        catalog: Pictures whose parts are known, from keypoints or masks.
        maps: Which: "attention" is where the head says that the group looks, "tokens" the length
            of what each position adds to the group's vector.
        offset: Where cells really look; measured by `cell_offset` if None. (0, 0) is where they
            are drawn.
        batch_size: How many pictures go through the network at once.

    Returns:
        What was found for each of `maps`, in this order.

    Raises:
        UsageError: No parts are known.
        ImageError: A picture cannot be read; it is named.
    """
    known = known_parts(catalog)
    codes: list[list[npt.NDArray[np.int64]]] = [[] for _ in maps]
    chance = np.zeros((len(maps), len(known.columns)))
    looked = group_maps_over_parts(model, known, maps=maps, offset=offset, batch_size=batch_size)
    for picture in looked:
        for i, (values, cells) in enumerate(picture):
            codes[i].append(cells.centre[values.argmax(axis=1)])
            chance[i] += by_chance(cells).peaks[0]
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
    """Say what groups are about.

    Args:
        peaks: From `peak_parts`.
        seed: Of the exchanges for `information_by_chance`.
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
    """Return in what share of pairs, of one class and of different ones, a group peaks alike."""
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
        """Return whether there is one group only, or no object parts are known."""
        if study.model.head.groups == 1:
            return "this head has one group alone"
        return unknown_parts(study.catalog)

    def run(self, study: Study, progress: Progress | None = None) -> Outcome[GroupParts]:
        """Measure what lies under the peaks of both kinds of maps."""
        peaks = peak_parts(study.model, study.pictures, batch_size=study.batch_size)
        return Outcome(tuple(describe_groups(each, seed=study.seed) for each in peaks))

    def numbers(self, results: Sequence[GroupParts]) -> dict[str, float]:
        """Return means over groups, by the lengths of tokens: every head has those."""
        numbers: dict[str, float] = {}
        for parts in (each for each in results if each.peaks.of == "tokens"):
            numbers["group_purity"] = float(parts.purity.mean())
            same, other = float(parts.same_class.mean()), float(parts.other_class.mean())
            if same == same and other == other:  # there are pairs of either kind
                numbers |= {"group_same_class": same, "group_other_class": other}
        return numbers
