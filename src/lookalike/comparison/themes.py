"""What the measures of explanations are called, what they are, and which of them go together."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

from lookalike.explanation.report.wording import method_label

Best = Literal["highest", "lowest", "none"]

COMPARED = ("exact", "shared", "grad_cam")
"""Methods that are compared, in the order of columns and colours; only a graph has `shared`."""
_CONTROLS = {"exact_of_another_pair": "exact, another pair's"}
"""Of these neither the highest nor the lowest is best."""
METHODS = {name: method_label(name) for name in COMPARED} | _CONTROLS
"""Whose maps, in the order of the columns, and what they are called."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A measure of maps, of any method, or of groups.

    Args:
        name: The method's name follows it, where it is of maps: `deletion_exact`.
        label: What it is called.
        meaning: In a sentence.
        best: Which values of it are.
    """

    name: str
    label: str
    meaning: str
    best: Best = "highest"

    @property
    def direction(self) -> str:
        """Which way is better, in words."""
        return f"{'less' if self.best == 'lowest' else 'more'} is better"


@dataclass(frozen=True, slots=True)
class Theme:
    """Measures that are read together, in a table of their own.

    Args:
        title: Of the table.
        reading: How to read it, in a sentence or two.
        kinds: The measures.
        of_maps: Whether there is one of each for every method.
    """

    title: str
    reading: str
    kinds: tuple[Kind, ...]
    of_maps: bool = True

    @property
    def measures(self) -> tuple[tuple[str, str, Kind], ...]:
        """Each measure: its name in a row, what its column is called, and its kind."""
        if not self.of_maps:
            return tuple((kind.name, kind.label, kind) for kind in self.kinds)
        return tuple(
            (
                f"{kind.name}_{method}",
                f"{kind.label}, {shown}",
                replace(kind, best="none") if method in _CONTROLS else kind,
            )
            for kind in self.kinds
            for method, shown in METHODS.items()
        )

    def legend(self, names: Collection[str]) -> tuple[str, ...]:
        """Say how to read the table, and what each kind among some measures is."""
        kinds = {kind.label: kind.meaning for name, _, kind in self.measures if name in names}
        said = (f"{label[0].upper()}{label[1:]}: {meaning}." for label, meaning in kinds.items())
        return (self.reading, *said)


THEMES = (
    Theme(
        "Explanations: faithfulness",
        "Exact maps are those of the model's own score; Grad-CAM is what others would take. 0.5 is "
        "a random order; what another pair's map gets is owed to smooth maps and to objects in the "
        "middle, not to the pair.",
        (
            Kind(
                "deletion",
                "deletion",
                "area under the score of same-class pairs while cells of a picture are blurred, "
                "those highest on the map first; 0.5 is a random order, less is better",
                best="lowest",
            ),
            Kind(
                "insertion",
                "insertion",
                "area under the score of same-class pairs while cells of a blurred picture are "
                "shown, those highest on the map first; 0.5 is a random order, more is better",
            ),
        ),
    ),
    Theme(
        "Explanations: where maps point",
        "Only where parts are known, from masks or keypoints.",
        (
            Kind("pointing", "pointing", "share of maps whose highest cell is on a known part"),
            Kind("mass", "mass", "share of what maps have above zero that lies on known parts"),
        ),
    ),
    Theme(
        "Explanations: control",
        "A map that shows what was learnt has little in common with that of random weights.",
        (
            Kind(
                "random_weights",
                "random weights",
                "rank correlation of maps with those of the same network with random weights; "
                "near 0 is right",
                best="none",
            ),
        ),
    ),
    Theme(
        "Explanations: stability",
        "1 is a map that follows exactly. Where features do not move with the object no exact map "
        "does: this measures the model and the method together.",
        (
            Kind(
                "shift",
                "shift",
                "correlation of maps before and after a picture is shifted by a cell, the shift "
                "undone",
            ),
            Kind("flip", "flip", "the same after a picture is mirrored left to right"),
            Kind("scale", "scale", "the same after what a picture shows is made smaller"),
            Kind("noise", "noise", "the same after noise that leaves the score nearly as it is"),
        ),
    ),
    Theme(
        "Explanations: groups",
        "By the length of what each position adds to a group's vector; one group alone has none of "
        "these.",
        (
            Kind(
                "group_purity",
                "purity",
                "share of pictures in which a group's map peaks on its most common part, mean over "
                "groups",
            ),
            Kind(
                "group_same_class",
                "same part, same class",
                "share of pairs of pictures of one class in which a group peaks on the same part",
            ),
            Kind(
                "group_other_class",
                "same part, other class",
                "the same for pairs of pictures of different classes",
            ),
            Kind(
                "group_map_cosine",
                "cosine of maps",
                "cosine of two groups' maps in one picture: 1 is the same place",
                best="none",
            ),
            Kind(
                "group_map_overlap",
                "overlap of maps",
                "intersection over union of the highest quarters of two groups' maps; about 0.14 "
                "for quarters drawn at random",
                best="none",
            ),
            Kind(
                "group_vector_cosine",
                "cosine of vectors",
                "cosine of two groups' vectors in one picture",
                best="none",
            ),
        ),
        of_maps=False,
    ),
)
"""The tables that a comparison has beside its first one, where explanations were measured."""

TOLD = tuple(
    kind
    for theme in THEMES
    for kind in theme.kinds
    if kind.name in {"deletion", "insertion", "pointing"}
)
"""Measures that there is a sentence and a drawing on."""
