"""The pictures that come with the project: 320 concepts, each drawn by four teams of artists."""

from importlib.resources import files
from pathlib import Path

from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.columns import Columns


def demo_catalog() -> Catalog:
    """Return the bundled emoji: a class is a concept, a group is the style it was drawn in.

    1,280 pictures of 64 or 72 pixels on white; 160 concepts in split "train", 160 others in
    "test". The licences are in `LICENSES.md` beside the pictures.

    >>> len(demo_catalog().split("test").classes)
    160
    """
    folder = Path(str(files("lookalike.data").joinpath("emoji")))
    return Catalog.from_csv(folder / "catalog.csv", columns=Columns(group="style"))
