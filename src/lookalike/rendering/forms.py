"""The forms of a value: words, a figure, a page, numbers; and files of them.

Each form is a function that dispatches on the type of the value. A renderer registers itself for
the type that it renders:

    @figure_of.register(Explanation)
    def explanation_figure(why: Explanation) -> "Figure": ...

So a value never imports its renderers. The `__init__` of a package imports them, which makes sure
that they are registered wherever a value of that package exists.
"""

import json
from collections.abc import Callable
from functools import singledispatch
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from lookalike.errors import LookalikeError, UsageError
from lookalike.files import replace
from lookalike.progress import Progress
from lookalike.rendering.figures import write_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".png", ".html", ".json")
"""Suffixes of the files that a value can be saved as."""


@singledispatch
def sentences_of(shown: object) -> tuple[str, ...]:
    """Return what a value says, as sentences in plain words."""
    raise _unknown(shown, "sentences")


@singledispatch
def figure_of(shown: object) -> "Figure":
    """Draw a value; the figure belongs to no window and needs no display."""
    raise _unknown(shown, "a figure")


@singledispatch
def page_of(shown: object) -> str:
    """Return a value as an HTML page that refers to nothing outside it."""
    raise _unknown(shown, "a page")


@singledispatch
def record_of(shown: object) -> dict[str, Any]:
    """Return the numbers of a value under their names: a dict that JSON can hold."""
    raise _unknown(shown, "a record")


@singledispatch
def fragment_of(shown: object) -> str:
    """Return HTML to put into another page; without a renderer of its own, the page in a frame."""
    page = escape(page_of(shown))
    return f'<iframe srcdoc="{page}" style="width:100%;height:40rem;border:0"></iframe>'


@singledispatch
def files_of(shown: object) -> dict[str, Callable[[Path], object]]:
    """Return what a value is saved as in a folder: names of files, and what writes each."""
    raise _unknown(shown, "files")


def _unknown(shown: object, form: str) -> TypeError:
    return TypeError(f"nothing is registered that makes {form} of {type(shown).__name__}")


class Shown:
    """A value with the forms of this module: base of what explanations and answers are."""

    __slots__ = ()

    noun: ClassVar[str] = "an explanation"
    """What messages call it."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """What it says, in plain words."""
        return sentences_of(self)

    def plot(self) -> "Figure":
        """Draw it; the figure belongs to no window and needs no display."""
        return figure_of(self)

    def to_html(self) -> str:
        """Return a page that refers to nothing outside it."""
        return page_of(self)

    def to_json(self) -> str:
        """Return its numbers as one JSON object."""
        return to_json(record_of(self))

    def to_fragment(self) -> str:
        """Return HTML to put into another page."""
        return fragment_of(self)

    def _repr_html_(self) -> str:
        return fragment_of(self)

    def save(self, path: str | Path) -> None:
        """Write it as what the path's suffix says.

        Args:
            path: Ends in .png (a figure), .html (a page) or .json (the numbers).

        Raises:
            UsageError: The suffix is another.
            LookalikeError: The file cannot be written.
        """
        path = Path(path)
        if path.suffix.lower() not in FORMATS:
            raise UsageError(f"{path}: {self.noun} is saved as .png, .html or .json")
        try:
            _write(self, path)
        except OSError as error:
            raise LookalikeError(f"{path}: cannot be written: {error.strerror}") from None


class ShownInFolder:
    """A value with too much to show for one figure: it is saved as several files."""

    __slots__ = ()

    def to_html(self) -> str:
        """Return a page that refers to nothing outside it."""
        return page_of(self)

    def save(self, folder: str | Path, *, progress: Progress | None = None) -> list[Path]:
        """Write page, pictures and numbers into a folder; nothing else in it is touched.

        Args:
            folder: Made if it is not there.
            progress: Told how many files are written, of how many.

        Returns:
            The files, the page first.

        Raises:
            LookalikeError: A file cannot be written.
        """
        folder = Path(folder)
        files = files_of(self)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for done, (name, write) in enumerate(files.items(), start=1):
                replace(folder / name, write)
                if progress is not None:
                    progress(done, len(files))
        except OSError as error:
            raise LookalikeError(f"{folder}: cannot be written: {error.strerror}") from None
        return [folder / name for name in files]


def to_json(record: dict[str, Any]) -> str:
    """Write a record as JSON; a number that is not finite is an error."""
    return json.dumps(record, allow_nan=False)


def _write(shown: Shown, path: Path) -> None:
    suffix = path.suffix.lower()
    if suffix == ".png":
        write_figure(shown.plot(), path)
    else:
        text = shown.to_html() if suffix == ".html" else shown.to_json()
        path.write_text(text, encoding="utf-8")
