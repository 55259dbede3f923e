"""What the cells of a table mean, and what can be wrong with them."""

import math
import os.path
import re
from collections.abc import Sequence
from pathlib import Path

from lookalike.data.catalog.columns import Columns, Table
from lookalike.data.catalog.entries import Box, Entry, Problem

ROLES = ("query", "gallery")


def entries_of(table: Table, columns: Columns, root: Path) -> tuple[list[Entry], list[Problem]]:
    """Turn a table's rows into entries, and list every row that cannot be one.

    Labels, splits, roles and groups lose the blanks around them; paths are kept as they are. A
    cell that is blank or holds "nan" counts as empty. Two rows may name one picture only if
    their boxes differ: objects cut from one picture.

    Args:
        table: Text, as read.
        columns: What the columns are called.
        root: Relative paths begin here; two spellings of one path are one path.
    """
    entries: list[Entry] = []
    problems = list(table.problems)
    first: dict[tuple[str, Box | None], int] = {}
    names = (columns.path, columns.label, columns.split, columns.role, columns.group)
    texts = [_cells(table, name) for name in names]
    for row, boxed, *cells in zip(table.rows, _box_cells(table, columns), *texts, strict=True):
        entry, faults = _entry(row, boxed, *cells)
        if not faults:
            picture = (os.path.normpath(os.path.join(root, entry.path)), entry.box)
            earlier = first.setdefault(picture, row)
            if earlier != row:
                faults.append(f"the picture of {table.word} {earlier} again ({entry.path})")
        if faults:
            problems.append(Problem(row, "; ".join(faults), entry.path or None))
        else:
            entries.append(entry)
    return entries, sorted(problems, key=lambda problem: problem.row)


def _cells(table: Table, name: str | None) -> Sequence[str]:
    blank: Sequence[str] = [""] * len(table.rows)
    return blank if name is None else table.cells.get(name, blank)


def _box_cells(table: Table, columns: Columns) -> Sequence[str]:
    """Return boxes as text, from either form."""
    if columns.corners is None or columns.corners[0] not in table.cells:
        return _cells(table, columns.box)
    corners = (table.cells[name] for name in columns.corners)
    return [" ".join(four) for four in zip(*corners, strict=True)]


def _entry(
    row: int, boxed: str, path: str, label: str, split: str, role: str, group: str
) -> tuple[Entry, list[str]]:
    """Read one row; the entry holds only if there are no faults."""
    faults = []
    if _given(path) is None:
        faults.append("no path")
    elif "\0" in path:
        faults.append("the path holds a zero byte")
    if _given(label) is None:
        faults.append("no label (empty or NaN)")
    part = (_given(role) or "").lower() or None
    if part is not None and part not in ROLES:
        faults.append(f"role {role!r} is neither query nor gallery")
    box, fault = _box(boxed)
    if fault:
        faults.append(fault)
    return Entry(path, label.strip(), row, _given(split), part, _given(group), box), faults


def _given(text: str) -> str | None:
    """Return the text without blanks around it; None if there is nothing, or not a number."""
    text = text.strip()
    return None if not text or text.lower() == "nan" else text


def _box(text: str) -> tuple[Box | None, str | None]:
    """Read "left top right bottom"; return the box, or what is wrong with it."""
    if not text:
        return None, None
    words = re.findall(r"[^\s,;()\[\]]+", text)
    if all(_given(word) is None for word in words):
        return None, None
    try:
        left, top, right, bottom = (float(word) for word in words)
    except ValueError:
        return None, f"box {text!r} is not four numbers: left top right bottom"
    if not all(math.isfinite(number) for number in (left, top, right, bottom)):
        return None, f"box {text!r} holds a number that is not finite"
    if right <= left or bottom <= top:
        return None, f"box {text!r} has no area: right must exceed left, and bottom exceed top"
    return (left, top, right, bottom), None
