"""What can be looked at as a figure, a page or numbers, into the file that somebody names."""

from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from lookalike.errors import LookalikeError, UsageError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".png", ".html", ".json")
"""Suffixes of the files that an explanation can be saved as."""


@runtime_checkable
class Saveable(Protocol):
    """What has all three forms."""

    def plot(self) -> "Figure":
        """Draw it."""
        ...

    def to_html(self) -> str:
        """Return a page."""
        ...

    def to_json(self) -> str:
        """Return its numbers."""
        ...


def save(shown: Saveable, path: str | Path, *, called: str = "an explanation") -> None:
    """Write it as what the path's suffix says.

    Args:
        shown: What to write.
        path: Ends in .png (a figure), .html (a page) or .json (the numbers).
        called: What it is, for messages.

    Raises:
        UsageError: The suffix is another.
        LookalikeError: The file cannot be written.
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in FORMATS:
        raise UsageError(f"{path}: {called} is saved as .png, .html or .json")
    try:
        if kind == ".png":
            from lookalike.rendering.figures import write_figure

            write_figure(shown.plot(), path)
        else:
            text = shown.to_html() if kind == ".html" else shown.to_json()
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise LookalikeError(f"{path}: cannot be written: {error.strerror}") from None
