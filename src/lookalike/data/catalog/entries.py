"""What readers of folders, tables and lists find: pictures and bad rows, and their messages."""

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from lookalike.errors import CatalogError

Box = tuple[float, float, float, float]
"""Left, top, right, bottom, in pixels."""
Point = tuple[float, float]

MOST_NAMED = 10  # a message names this many things, and says how many more there are
_HIDDEN = {"Cc", "Cs", "Zl", "Zp"}  # control characters, lone surrogates, line separators


class Entry(NamedTuple):
    """One picture and what is known about it; the fields are explained in `Catalog`.

    Args:
        path: As written, absolute or relative to the catalog's root.
        label: Name of its class.
        keypoints: NaN for a point that is not visible or not known; empty if none is known.
    """

    path: str
    label: str
    row: int
    split: str | None = None
    role: str | None = None
    group: str | None = None
    box: Box | None = None
    keypoints: tuple[Point, ...] = ()


class RowProblem(NamedTuple):
    """Something wrong with one row of a table.

    Args:
        row: Where it is, counted as in `Entry`.
        message: What is wrong, as a short phrase.
        path: The picture that the row names, if the row names one.
    """

    row: int
    message: str
    path: str | None = None


def refuse_rows(source: str, word: str, problems: Sequence[RowProblem]) -> None:
    """Raise one error for all bad rows of a file; do nothing if there are none.

    Args:
        source: The file.
        word: What its rows are called: "line" or "row".
        problems: In the order of their rows.

    Raises:
        CatalogError: There is a bad row.
    """
    if not problems:
        return
    lines = [f"  {word} {bad.row}: {printable(bad.message)}" for bad in problems[:MOST_NAMED]]
    if len(problems) > MOST_NAMED:
        lines.append(f"  and {len(problems) - MOST_NAMED} more")
    raise CatalogError("\n".join([f"{source}: bad rows: {len(problems)}", *lines]))


def listed(names: Sequence[str]) -> str:
    """Join the first ten names, and say how many more there are.

    >>> listed(["a", "b"])
    'a, b'
    """
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(printable(name) for name in names[:MOST_NAMED]) + more


def count_and_list(names: Sequence[str]) -> str:
    """Count names and list the first ten.

    >>> count_and_list(["a", "b"])
    '2 (a, b)'
    """
    return f"{len(names)} ({listed(names)})"


def printable(text: str) -> str:
    r"""Return the text on one line and without characters that cannot be printed.

    >>> printable("a\nb")
    'a\\nb'
    """
    return "".join(
        character.encode("unicode_escape").decode()
        if unicodedata.category(character) in _HIDDEN
        else character
        for character in text
    )
