"""Reading the text lists of benchmarks: one picture on each line, blanks between columns."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lookalike.data.catalog.entries import RowProblem, refuse_rows
from lookalike.errors import CatalogError

WIDEST = 100  # characters of a bad line that a message repeats


@dataclass(frozen=True, slots=True)
class ListFormat:
    """What a list looks like.

    Args:
        header: Names of the columns, with one blank between them.
        row: A row without the blanks around it; its group "path" is the picture.
        example: A good row, for messages.
        counted: Whether line 1 says how many rows follow the header.
    """

    header: str
    row: re.Pattern[str]
    example: str
    counted: bool = False


def read_list(path: Path, form: ListFormat) -> list[tuple[int, re.Match[str]]]:
    """Read the rows below the header, each with its line number; blank lines are passed over.

    Raises:
        CatalogError: The list cannot be read, or its header or its count is wrong; or rows are
            bad or name a picture twice: the message counts all and names the first ten.
    """
    lines = lines_of(path)
    count = None
    if form.counted:
        number, line = next(lines, (1, ""))
        if not re.fullmatch("[0-9]+", line):
            raise CatalogError(
                f"{path}: line {number}: expected the number of rows alone, found {_cut(line)}"
            )
        count = int(line)
    number, line = next(lines, (1, ""))
    if line.split() != form.header.split():
        raise CatalogError(f"{path}: line {number}: expected {form.header!r}, found {_cut(line)}")
    rows: list[tuple[int, re.Match[str]]] = []
    problems: list[RowProblem] = []
    first: dict[str, int] = {}
    for number, line in lines:
        match = form.row.fullmatch(line)
        if match is None:
            fault = f"expected a row like {form.example!r}, found {_cut(line)}"
            problems.append(RowProblem(number, fault))
        elif (earlier := first.setdefault(match["path"], number)) != number:
            fault = f"the picture of line {earlier} again ({match['path']})"
            problems.append(RowProblem(number, fault, match["path"]))
        else:
            rows.append((number, match))
    refuse_rows(str(path), "line", problems)
    if count is not None and count != len(rows):
        raise CatalogError(
            f"{path}: line 1 says that {count} rows follow, found {len(rows)}; get the list "
            f"again, or write the number of its rows into line 1 if you removed some yourself"
        )
    return rows


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """Give the lines that are not blank, numbered from 1, without the blanks around them."""
    try:
        # File names may be raw bytes, and a list from Windows may begin with a byte order mark.
        text = path.read_text(encoding="utf-8", errors="surrogateescape").removeprefix("\ufeff")
    except OSError as error:
        raise CatalogError(f"{path}: cannot read the list: {error.strerror}") from None
    for number, line in enumerate(text.split("\n"), start=1):
        if stripped := line.strip():
            yield number, stripped


def _cut(line: str) -> str:
    return repr(line if len(line) <= WIDEST else f"{line[:WIDEST]}…")
