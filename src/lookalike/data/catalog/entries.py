"""One picture as a reader of folders or tables found it, before it is put into columns."""

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from lookalike.errors import CatalogError

SHOWN = 10  # an error names this many rows, and how many more there are
Box = tuple[float, float, float, float]
Point = tuple[float, float]


class Entry(NamedTuple):
    """One picture and what is known of it.

    Args:
        path: As written, absolute or relative to the catalog's root.
        label: Name of its class.
        row: Where it stands in its source: a line for CSV, a row for Parquet.
        split: E.g. "train" or "test".
        role: "query" or "gallery".
        group: What pictures of one class can have in common beside it: a seller, a session.
        box: Left, top, right, bottom of the part that counts, pixels of the upright picture.
        keypoints: x and y of named points, pixels of the upright picture; NaN where one is not
            visible or not known, and empty if none is known.
    """

    path: str
    label: str
    row: int
    split: str | None = None
    role: str | None = None
    group: str | None = None
    box: Box | None = None
    keypoints: tuple[Point, ...] = ()


class Problem(NamedTuple):
    """Something wrong with one row of a table.

    Args:
        row: Where, counted as in `Entry`.
        message: What, as a short phrase.
        path: The picture that the row names, if it can be told.
    """

    row: int
    message: str
    path: str | None = None


def refuse(source: str, word: str, problems: Sequence[Problem]) -> None:
    """Raise one error for all problems of a file; do nothing if there are none.

    Args:
        source: The file.
        word: What its rows are called: "line" or "row".
        problems: In the order of their rows.

    Raises:
        CatalogError: There is a problem.
    """
    if not problems:
        return
    lines = [f"  {word} {problem.row}: {shown(problem.message)}" for problem in problems[:SHOWN]]
    if len(problems) > SHOWN:
        lines.append(f"  and {len(problems) - SHOWN} more")
    raise CatalogError("\n".join([f"{source}: bad rows: {len(problems)}", *lines]))


def listed(names: Sequence[str]) -> str:
    """Join the first ten names, and say how many more there are.

    >>> listed(["a", "b"])
    'a, b'
    """
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(shown(name) for name in names[:SHOWN]) + more


def counted(names: Sequence[str]) -> str:
    """Count names and list the first ten.

    >>> counted(["a", "b"])
    '2 (a, b)'
    """
    return f"{len(names)} ({listed(names)})"


def shown(text: str) -> str:
    r"""Return text that fits on one line and can be printed: file names may hold anything.

    >>> shown("a\nb")
    'a\\nb'
    """
    hidden = {"Cc", "Cs", "Zl", "Zp"}  # control characters, lone surrogates, line separators
    return "".join(
        character.encode("unicode_escape").decode() if unicodedata.category(character) in hidden
        else character
        for character in text
    )  # fmt: skip
