"""Drawn figures in a folder: the pictures, the masks of their object parts, and the catalog."""

from pathlib import Path

import numpy as np
from PIL import Image

from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.entries import Entry
from lookalike.data.synthetic.figures import FIGURE_PARTS, Masks, PartsSpec, drawings, masks_of
from lookalike.progress import Progress


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
