"""Drawn figures with known object parts: the ground truth for explanations.

A figure has a head, a body, limbs and a marking, each of one of a few kinds. A class is a
combination of kinds. Pose, size, place, background and light vary from picture to picture. Masks
say which pixels show which object part. `write_parts` puts all of it into a folder.
"""

from collections.abc import Iterator
from dataclasses import asdict, astuple, dataclass
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from jaxtyping import Bool
from PIL import Image
from pydantic import Field

from lookalike.config import Config
from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.entries import Entry
from lookalike.data.synthetic.canvas import (
    OVERSAMPLING,
    Canvas,
    Colour,
    background,
    light,
    random_pose,
)
from lookalike.data.synthetic.shapes import BODIES, HEADS, LIMBS, MARKINGS, ellipse
from lookalike.errors import UsageError
from lookalike.progress import Progress

FIGURE_PARTS = ("head", "body", "limbs", "marking")
"""Names of the object parts; a part's code in a mask's file is its place here plus one."""

KINDS = {"head": HEADS, "body": BODIES, "limbs": LIMBS, "marking": MARKINGS}
"""The kinds of each object part, by name; every kind has a shape and a colour of its own."""

Masks = dict[str, Bool[npt.NDArray[Any], "h w"]]

_COLOURS: dict[str, tuple[Colour, ...]] = {
    "head": ((226, 80, 70), (244, 172, 54), (48, 170, 160), (150, 96, 200), (242, 150, 190)),
    "body": ((66, 118, 204), (92, 168, 78), (158, 108, 66), (196, 110, 150), (98, 98, 122)),
    "limbs": ((72, 70, 82), (160, 52, 56), (120, 140, 44), (36, 96, 150), (222, 142, 58)),
    "marking": ((252, 246, 226), (252, 222, 48), (120, 240, 232), (28, 26, 40), (0, 0, 0)),
}
_SHOULDERS_AND_HIPS = ((-0.4, -0.38), (0.4, -0.38), (-0.24, 0.52), (0.24, 0.52))
_NECK = (0.0, -0.62)
_HEAD_ABOVE_NECK = (0.0, -0.42)
_EYES = ((-0.17, -0.02), (0.17, -0.02))


@dataclass(frozen=True, slots=True)
class Kinds:
    """The kind of each object part of a figure; this makes its class.

    >>> str(Kinds("round", "egg", "stick", "dots"))
    'round-egg-stick-dots'
    """

    head: str
    body: str
    limbs: str
    marking: str

    def __post_init__(self) -> None:
        for part, kind in zip(FIGURE_PARTS, astuple(self), strict=True):
            if kind not in KINDS[part]:
                raise UsageError(f"no {part} is {kind!r}: take one of {', '.join(KINDS[part])}")

    def __str__(self) -> str:
        return "-".join(astuple(self))


class PartsSpec(Config):
    """How large the pictures are and how many kinds there are."""

    size: Annotated[int, Field(ge=32, le=512)] = 96
    """Side of the pictures, pixels."""
    variants: Annotated[int, Field(ge=2, le=5)] = 4
    """Kinds of each object part; there are variants⁴ classes. The fifth marking is no marking."""


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """A picture of a figure.

    Args:
        picture: RGB, square.
        codes: For each pixel the object part that it shows: its place in `FIGURE_PARTS` plus one,
            0 for none.
        kinds: What was drawn.
    """

    picture: Image.Image
    codes: npt.NDArray[np.uint8]
    kinds: Kinds


def masks_of(codes: npt.NDArray[np.uint8]) -> Masks:
    """Return the visible pixels of each object part; no pixel is in two masks."""
    return {part: codes == code for code, part in enumerate(FIGURE_PARTS, start=1)}


def draw(kinds: Kinds, *, seed: int, size: int = 96) -> Drawing:
    """Draw one figure.

    The same seed gives the same pose, place, background and light for any kinds, so two drawings
    can differ in one object part alone.

    Args:
        kinds: What to draw.
        seed: Of all that varies within a class.
        size: Side of the picture, pixels.
    """
    rng = np.random.default_rng(seed)
    side = size * OVERSAMPLING
    pose = random_pose(rng, side)
    canvas = Canvas(background(rng, side), line=max(2, round(pose.scale * 0.09)))
    outlines = {part: KINDS[part][kind]() for part, kind in asdict(kinds).items()}
    colour = {
        part: _COLOURS[part][list(KINDS[part]).index(kind)] for part, kind in asdict(kinds).items()
    }
    code = {part: i for i, part in enumerate(FIGURE_PARTS, start=1)}

    for at, angle in zip(_SHOULDERS_AND_HIPS, pose.limbs, strict=True):
        limb = [pose.place(polygon, at=at, angle=angle) for polygon in outlines["limbs"]]
        canvas.paint(limb, colour["limbs"], code["limbs"])
    body = [pose.place(polygon) for polygon in outlines["body"]]
    canvas.paint(body, colour["body"], code["body"])
    marking = [pose.place(polygon) for polygon in outlines["marking"]]
    canvas.paint_within(marking, colour["marking"], code["marking"], region=body)
    on_neck = [polygon + _HEAD_ABOVE_NECK for polygon in outlines["head"]]
    head = [pose.place(polygon, at=_NECK, angle=pose.tilt) for polygon in on_neck]
    canvas.paint(head, colour["head"], code["head"])
    eyes = [ellipse(0.15, 0.2, at=eye) + _HEAD_ABOVE_NECK for eye in _EYES]
    placed = [pose.place(eye, at=_NECK, angle=pose.tilt) for eye in eyes]
    canvas.paint_within(placed, (30, 28, 36), code["head"], region=head)

    picture = canvas.colours.resize((size, size), Image.Resampling.BOX)
    return Drawing(light(rng, picture), canvas.part_codes(len(FIGURE_PARTS)), kinds)


def combinations(classes: int, *, seed: int, spec: PartsSpec | None = None) -> list[Kinds]:
    """Choose this many different combinations of kinds.

    Raises:
        UsageError: There are not that many.
    """
    spec = spec or PartsSpec()
    names = [list(KINDS[part])[: spec.variants] for part in FIGURE_PARTS]
    every = [Kinds(*kinds) for kinds in product(*names)]
    if not 1 <= classes <= len(every):
        raise UsageError(f"{classes} classes of drawn figures: there are 1 to {len(every)}")
    chosen = np.random.default_rng(seed).permutation(len(every))[:classes]
    return [every[i] for i in chosen.tolist()]


def drawings(
    *, classes: int, images_per_class: int, seed: int, spec: PartsSpec | None = None
) -> Iterator[Drawing]:
    """Draw several figures of each of several classes, class by class.

    >>> len(list(drawings(classes=2, images_per_class=3, seed=0, spec=PartsSpec(size=32))))
    6
    """
    spec = spec or PartsSpec()
    for number, kinds in enumerate(combinations(classes, seed=seed, spec=spec)):
        for i in range(images_per_class):
            own = np.random.SeedSequence((seed, number, i)).generate_state(1)[0]
            yield draw(kinds, seed=int(own), size=spec.size)


def write_parts(
    root: str | Path,
    *,
    classes: int,
    images_per_class: int,
    seed: int,
    test_share: float = 0.5,
    spec: PartsSpec | None = None,
    progress: Progress | None = None,
) -> Catalog:
    """Draw pictures into a folder: images/CLASS/I.png, masks/CLASS/I.png and catalog.csv.

    Args:
        root: The folder; made if it is not there.
        classes: Combinations of kinds.
        images_per_class: Drawings of each.
        seed: Of everything.
        test_share: Share of the classes whose split is "test"; that of the others is "train".
        spec: Size and kinds.
        progress: Called after each picture.

    Returns:
        The catalog as read back from catalog.csv.
    """
    root = Path(root)
    first_test = classes - round(classes * test_share)
    entries = []
    drawn = drawings(classes=classes, images_per_class=images_per_class, seed=seed, spec=spec)
    for number, drawing in enumerate(drawn):
        label, i = str(drawing.kinds), number % images_per_class
        path = root / "images" / label / f"{i}.png"
        mask = Image.fromarray(drawing.codes)
        for file, image in ((path, drawing.picture), (_mask_file(path), mask)):
            file.parent.mkdir(parents=True, exist_ok=True)
            image.save(file)
        split = "train" if number // images_per_class < first_test else "test"
        entries.append(Entry(path.relative_to(root).as_posix(), label, number, split))
        if progress is not None:
            progress(number + 1, classes * images_per_class)
    Catalog.from_entries(root, entries).to_csv(root / "catalog.csv")
    return Catalog.from_csv(root / "catalog.csv")


def read_masks(picture: str | Path) -> Masks:
    """Read the masks of a picture that `write_parts` has drawn."""
    with Image.open(_mask_file(Path(picture))) as image:
        return masks_of(np.asarray(image))


def has_masks(catalog: Catalog) -> bool:
    """Say whether `write_parts` has drawn all pictures of a catalog, by the masks beside them.

    Every mask must be there; only the first one is read.
    """
    files = [_mask_file(catalog.path(i)) for i in range(len(catalog))]
    if not files or not all(file.is_file() for file in files):
        return False
    with Image.open(files[0]) as image:
        return image.mode == "L" and int(np.asarray(image).max()) <= len(FIGURE_PARTS)


def _mask_file(picture: Path) -> Path:
    folder = picture.absolute().parent
    return folder.parent.parent / "masks" / folder.name / picture.name
