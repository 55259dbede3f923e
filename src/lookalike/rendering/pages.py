"""Pages from templates: those of a room, and those that all rooms share."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


SHARED = Path(__file__).parent / "templates"


@cache
def templates(folder: Path) -> "Environment":
    """Return the templates of a folder and the shared ones; text in them is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader([folder, SHARED]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
