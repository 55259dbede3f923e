"""From a table's cells to entries: what each cell means, and what can be wrong with a row."""

import math
import os.path
import re
from collections.abc import Sequence
from pathlib import Path

from lookalike.data.catalog.cell_tables import CellTable
from lookalike.data.catalog.columns import Columns
from lookalike.data.catalog.entries import Box, Entry
from lookalike.data.catalog.messages import RowProblem

ROLES = ("query", "gallery")


def parse_rows(
    table: CellTable, columns: Columns, root: Path
) -> tuple[list[Entry], list[RowProblem]]:
    """Turn a table's rows into entries, and list every bad row.

    Blanks around labels, splits, roles and groups are removed. Paths are kept as they are. A cell
    that is blank or holds "nan" counts as empty. Two rows may name one picture only if their
    boxes differ: then they are two objects in one picture.

    Args:
        table: Text, as read.
        columns: What the columns are called.
        root: Where relative paths begin. Two spellings of one path are one path.
    """
    entries: list[Entry] = []
    problems = list(table.problems)
    first: dict[tuple[str, Box | None], int] = {}
    names = (columns.path, columns.label, columns.split, columns.role, columns.group)
    texts = [_cells(table, name) for name in names]
    for row, box, *cells in zip(table.rows, _box_cells(table, columns), *texts, strict=True):
        entry, faults = _parse_row(row, box, *cells)
        if not faults:
            picture = (os.path.normpath(os.path.join(root, entry.path)), entry.box)
            earlier = first.setdefault(picture, row)
            if earlier != row:
                faults.append(f"the picture of {table.word} {earlier} again ({entry.path})")
        if faults:
            problems.append(RowProblem(row, "; ".join(faults), entry.path or None))
        else:
            entries.append(entry)
    return entries, sorted(problems, key=lambda problem: problem.row)


def _cells(table: CellTable, name: str | None) -> Sequence[str]:
    blank: Sequence[str] = [""] * len(table.rows)
    return blank if name is None else table.cells.get(name, blank)


def _box_cells(table: CellTable, columns: Columns) -> Sequence[str]:
    """Return the boxes as text, whether they are in one column or in four."""
    if columns.corners is None or columns.corners[0] not in table.cells:
        return _cells(table, columns.box)
    corners = (table.cells[name] for name in columns.corners)
    return [" ".join(four) for four in zip(*corners, strict=True)]


def _parse_row(
    row: int, box_text: str, path: str, label: str, split: str, role: str, group: str
) -> tuple[Entry, list[str]]:
    """Read one row; the entry is valid only if there are no faults."""
    faults = []
    if _value(path) is None:
        faults.append("no path")
    elif "\0" in path:
        faults.append("the path holds a zero byte")
    if _value(label) is None:
        faults.append("no label (empty or NaN)")
    known_role = (_value(role) or "").lower() or None
    if known_role is not None and known_role not in ROLES:
        faults.append(f"role {role!r} is neither query nor gallery")
    box, fault = _parse_box(box_text)
    if fault:
        faults.append(fault)
    return Entry(path, label.strip(), row, _value(split), known_role, _value(group), box), faults


def _value(text: str) -> str | None:
    """Return the text without blanks around it; None if it is empty or "nan"."""
    text = text.strip()
    return None if not text or text.lower() == "nan" else text


def _parse_box(text: str) -> tuple[Box | None, str | None]:
    """Read "left top right bottom"; return the box, or what is wrong with it."""
    if not text:  # most tables have no boxes
        return None, None
    words = re.findall(r"[^\s,;()\[\]]+", text)
    if all(_value(word) is None for word in words):
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
