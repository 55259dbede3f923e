"""What methods and measures are called, and how numbers are written."""

from collections.abc import Mapping

from lookalike.explanation.interventions.masking import Fill
from lookalike.explanation.measures import Faithfulness, Interval
from lookalike.rendering.numbers import number

_METHODS = {
    "grad_cam": "Grad-CAM",
    "input_gradient": "gradient × input",
    "integrated_gradients": "integrated gradients",
    "second_order": "second order",
}

FILLS: Mapping[Fill, str] = {"blur": "blurred", "mean": "mean colour"}
"""What hidden cells show, in two words."""

FAITHFULNESS = (
    "Cells of picture A are hidden (deletion) or shown (insertion), those highest on the map "
    "first, and the score with the untouched B is followed. The area under its curve is measured "
    "against random orders of the same cells: 0.5 is random, deletion is good when low, "
    "insertion when high. The raw area, under the score itself against the share of the picture, "
    "is in score units. “Another pair's” gives each pair the map of the next: what is left of a "
    "method's advantage there is owed to smooth maps and to objects in the middle, not to the pair."
)
RANDOMISATION = (
    "Spearman's rank correlation, over the cells, of a map with the map of the same network with "
    "random weights; near 0 is right: the map depends on what was learnt."
)
LOCALISATION = (
    "Pointing game: share of maps whose highest cell is on a known part. Mass: share of what the "
    "map has above zero that lies on one. Chance is what a map without any preference gets."
)
GROUPS = (
    "On which known part the map of each group peaks, over all pictures. Information: bits that "
    "the group tells about the part under its peak; chance is the same with the groups of each "
    "picture exchanged. Purity: share of pictures in which a group peaks on its most common part. "
    "Same class, other class: share of pairs of pictures in which it peaks on the same part."
)
DIVERSITY = (
    "Means over pairs of groups. Cosine of maps: 1 is the same place, 0 no cell in common. "
    "Overlap: of the highest quarters of two maps, intersection over union; about 0.14 for "
    "quarters drawn at random. Cosine of vectors: of the two groups' parts of the embedding."
)
STABILITY = (
    "Picture A is shifted, mirrored, made smaller, or given noise that leaves the score nearly as "
    "it is. Pearson's r of its map, the change undone, with the map before: 1 follows exactly. "
    "Small print: r without undoing the change, of a map that takes no notice it is 1."
)


def method_label(name: str) -> str:
    """Return what tables call a method."""
    return _METHODS.get(name, name.replace("_", " "))


def label_of(measured: Faithfulness) -> str:
    """Return what tables call a line of faithfulness."""
    label = method_label(measured.method)
    return f"{label}, another pair's" if measured.swapped else label


def span(interval: Interval) -> str:
    """Write the ends of an interval.

    >>> span(Interval(0.1, 0.2, 0.3))
    '[0.100, 0.300]'
    """
    return f"[{number(interval.low)}, {number(interval.high)}]"


def estimate(interval: Interval) -> str:
    """Write an estimate with its interval.

    >>> estimate(Interval(0.1, 0.2, 0.3))
    '0.200 [0.100, 0.300]'
    """
    return f"{number(interval.mean)} {span(interval)}"
