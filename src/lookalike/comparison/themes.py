"""What the measures of explanations give to a comparison."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of a measure."""

    key: str
    label: str
    meaning: str
    better: Literal["lower", "higher", "none"] = "higher"
    headline: bool = False
    chance: float | None = None


@dataclass(frozen=True, slots=True)
class Theme:
    """Measures that are read together."""

    heading: str
    reading: str
    quantities: tuple[Quantity, ...]
    of_methods: bool = True


MEASURES = (
    Theme(
        "Explanations: faithfulness",
        "Exact maps are those of the model's own score; Grad-CAM is what others would take. 0.5 is "
        "a random order; what another pair's map gets is owed to smooth maps and to objects in the "
        "middle, not to the pair.",
        (
            Quantity(
                "deletion",
                "deletion",
                "area under the score of same-class pairs while cells of a picture are blurred, "
                "those highest on the map first; 0.5 is a random order, less is better",
                better="lower",
                headline=True,
                chance=0.5,
            ),
            Quantity(
                "insertion",
                "insertion",
                "area under the score of same-class pairs while cells of a blurred picture are "
                "shown, those highest on the map first; 0.5 is a random order, more is better",
                headline=True,
                chance=0.5,
            ),
        ),
    ),
    Theme(
        "Explanations: where maps point",
        "Only where parts are known, from masks or keypoints.",
        (
            Quantity(
                "pointing",
                "pointing",
                "share of maps whose highest cell is on a known part",
                headline=True,
            ),
            Quantity("mass", "mass", "share of what maps have above zero that lies on known parts"),
        ),
    ),
    Theme(
        "Explanations: control",
        "A map that shows what was learnt has little in common with that of random weights.",
        (
            Quantity(
                "random_weights",
                "random weights",
                "rank correlation of maps with those of the same network with random weights; "
                "near 0 is right",
                better="none",
            ),
        ),
    ),
    Theme(
        "Explanations: stability",
        "1 is a map that follows exactly. Where features do not move with the object no exact map "
        "does: this measures the model and the method together.",
        (
            Quantity(
                "shift",
                "shift",
                "correlation of maps before and after a picture is shifted by a cell, the shift "
                "undone",
            ),
            Quantity("flip", "flip", "the same after a picture is mirrored left to right"),
            Quantity("scale", "scale", "the same after what a picture shows is made smaller"),
            Quantity(
                "noise", "noise", "the same after noise that leaves the score nearly as it is"
            ),
        ),
    ),
    Theme(
        "Explanations: groups",
        "By the length of what each position adds to a group's vector; one group alone has none of "
        "these.",
        (
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
            Quantity(
                "group_map_cosine",
                "cosine of maps",
                "cosine of two groups' maps in one picture: 1 is the same place",
                better="none",
            ),
            Quantity(
                "group_map_overlap",
                "overlap of maps",
                "intersection over union of the highest quarters of two groups' maps; about 0.14 "
                "for quarters drawn at random",
                better="none",
            ),
            Quantity(
                "group_vector_cosine",
                "cosine of vectors",
                "cosine of two groups' vectors in one picture",
                better="none",
            ),
        ),
        of_methods=False,
    ),
)
