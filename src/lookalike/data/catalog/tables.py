"""Tables of pictures: what their columns are called, their cells as text, what a row means."""

import csv
import io
import math
import os.path
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from lookalike import files
from lookalike.config import Config
from lookalike.data.catalog.entries import Box, Entry, RowProblem, listed, printable
from lookalike.errors import CatalogError

DELIMITERS = (",", ";", "\t")
ROLES = ("query", "gallery")


class Columns(Config):
    """What the columns of a table are called.

    `path` and `label` are required. The other columns are read if they are there. A column that
    is named here explicitly is required too. None leaves a column out. Other columns are ignored.
    """

    path: str = "path"
    """The picture, absolute or relative to the catalog's root."""
    label: str = "label"
    """Its class, any text or integer."""
    split: str | None = "split"
    """E.g. train, val, test."""
    role: str | None = "role"
    """query or gallery."""
    group: str | None = "group"
    """What pictures of a class can share besides the class: a seller, a session, a style."""
    box: str | None = "box"
    """Left, top, right, bottom in one cell, e.g. "10 20 110 220"; pixels, commas allowed."""
    corners: tuple[str, str, str, str] | None = ("x1", "y1", "x2", "y2")
    """The same in four columns: left, top, right, bottom. Use `box` or `corners`, not both."""


STANDARD = Columns()


class PictureTable(NamedTuple):
    """What the rows of a table say.

    Args:
        row_word: What the rows are called in messages: "line" or "row".
        root: Where relative paths begin.
        entries: The good rows.
        problems: The bad ones, in their order.
    """

    row_word: str
    root: Path
    entries: list[Entry]
    problems: list[RowProblem]


_Cells = tuple[Sequence[int], Mapping[str, Sequence[str]], list[RowProblem]]
"""Where each row is, its cells as text by columns, and the rows that could not be split."""


def read_table(
    path: str | Path,
    columns: Columns = STANDARD,
    *,
    root: str | Path | None = None,
    suffix: str | None = None,
) -> PictureTable:
    """Read a CSV file (.csv, .tsv, .txt) or a Parquet file (.parquet, .pq).

    A CSV file is UTF-8, with or without a byte order mark, with any line ends, separated by
    commas, semicolons or tabs, whichever fits its header. The first line that is not blank names
    the columns. A Parquet file has columns of text or whole numbers; boxes may be numbers or lists
    of numbers; its rows are counted from 0.

    Blanks around labels, splits, roles and groups are removed. Paths are kept as they are. A cell
    that is blank or holds "nan" counts as empty. Two rows may name one picture only if their
    boxes differ: then they are two objects in one picture.

    Args:
        path: The file.
        columns: What the columns are called.
        root: Where relative paths begin; the file's folder if None. Two spellings of one path are
            one path.
        suffix: Read the file as one with this suffix; with its own if None.

    Raises:
        CatalogError: The suffix is another one, the file cannot be read, or it lacks a column.
    """
    kind = suffix or Path(path).suffix.lower()
    if kind in (".csv", ".tsv", ".txt"):
        row_word, (rows, cells, problems) = "line", _csv_cells(path, columns)
    elif kind in (".parquet", ".pq"):
        row_word, (rows, cells, problems) = "row", _parquet_cells(path, columns)
    else:
        reason = "not a .csv or .parquet file" if Path(path).exists() else "no such file or folder"
        raise CatalogError(
            f"{path}: {reason}; a catalog is a folder of classes, a CSV or Parquet file"
        )
    base = Path(path).parent if root is None else Path(root)
    entries: list[Entry] = []
    first: dict[tuple[str, Box | None], int] = {}
    for row, *texts in zip(rows, *_texts(cells, columns, len(rows)), strict=True):
        entry, faults = _parse_row(row, *texts)
        if not faults:
            picture = (os.path.normpath(os.path.join(base, entry.path)), entry.box)
            earlier = first.setdefault(picture, row)
            if earlier != row:
                faults.append(f"the picture of {row_word} {earlier} again ({entry.path})")
        if faults:
            problems.append(RowProblem(row, "; ".join(faults), entry.path or None))
        else:
            entries.append(entry)
    problems.sort(key=lambda problem: problem.row)
    return PictureTable(row_word, base, entries, problems)


def _csv_cells(path: str | Path, columns: Columns) -> _Cells:
    text = _read_text(path)
    headers = {delimiter: _header(text, delimiter) for delimiter in DELIMITERS}
    required = {columns.path, columns.label}
    fit = {each: (required <= set(header), len(header)) for each, header in headers.items()}
    delimiter = max(DELIMITERS, key=fit.__getitem__)
    header = headers[delimiter]
    rows: list[int] = []
    records: list[list[str]] = []
    problems: list[RowProblem] = []
    for line, record in _records(text, delimiter):
        if isinstance(record, str):
            problems.append(RowProblem(line, record))
        elif len(record) != len(header):
            problems.append(RowProblem(line, f"{len(record)} cells, but {len(header)} columns"))
        else:
            rows.append(line)
            records.append(record)
    places = {name: header.index(name) for name in _columns_to_read(columns, header, str(path))}
    cells = {name: [record[place] for record in records[1:]] for name, place in places.items()}
    return rows[1:], cells, problems


def _read_text(path: str | Path) -> str:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise CatalogError(f"{path}: cannot read the catalog: {error.strerror}") from None
    if not data.strip():
        raise CatalogError(f"{path}: the file is empty; its first line must name the columns")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
        line = data.count(b"\n", 0, error.start) + 1
        reason = "it is UTF-16" if wide else f"line {line} has byte 0x{data[error.start]:02x}"
        raise CatalogError(f"{path}: not UTF-8: {reason}; save the file as UTF-8") from None


def _header(text: str, delimiter: str) -> list[str]:
    _, record = next(_records(text, delimiter))
    return [] if isinstance(record, str) else [name.strip() for name in record]


def _records(text: str, delimiter: str) -> Iterator[tuple[int, list[str] | str]]:
    """Give each record that is not blank with its first line; a text says why it is damaged."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            if record := next(reader):
                yield line, record
        except StopIteration:
            return
        except csv.Error as error:
            unclosed = "unexpected end of data" in str(error)
            yield line, "a quote is opened and never closed" if unclosed else str(error)


def _parquet_cells(path: str | Path, columns: Columns) -> _Cells:
    import pyarrow
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            names = _columns_to_read(columns, file.schema_arrow.names, str(path))
            table = file.read(columns=names)
    except (OSError, pyarrow.ArrowException) as error:
        reason = " ".join(str(error).split())
        raise CatalogError(f"{path}: cannot read the Parquet file: {reason}") from None
    cells: dict[str, Sequence[str]] = {}
    for name in names:
        column = table.column(name)
        try:
            cells[name] = [_as_text(value) for value in column.to_pylist()]
        except TypeError:
            raise CatalogError(
                f"{path}: column {name} holds {column.type}; it must hold text or whole numbers"
            ) from None
    return range(table.num_rows), cells, []


def _as_text(value: object) -> str:
    """Write a Parquet value as it is written in a CSV file; integers stay exact at any size."""
    match value:
        case None:
            return ""
        case str():
            return value
        case float() if math.isnan(value):
            return ""
        case float() if value.is_integer():
            return str(int(value))
        case int() | float():
            return repr(value)
        case list():
            return " ".join(_as_text(item) for item in value)
    raise TypeError(type(value).__name__)


def _texts(cells: Mapping[str, Sequence[str]], columns: Columns, count: int) -> list[Sequence[str]]:
    """List the cells of boxes, paths, labels, splits, roles and groups; blank where none are."""
    names = (columns.box, columns.path, columns.label, columns.split, columns.role, columns.group)
    blank = [""] * count
    texts = [cells.get(name, blank) if name is not None else blank for name in names]
    if columns.corners is not None and columns.corners[0] in cells:
        corners = (cells[name] for name in columns.corners)
        texts[0] = [" ".join(four) for four in zip(*corners, strict=True)]
    return texts


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


def _columns_to_read(columns: Columns, found: Sequence[str], source: str) -> list[str]:
    """Choose the columns of a file to read, by the names that it has."""
    required = columns.model_fields_set | {"path", "label"}
    names: list[str] = []
    missing: dict[str, list[str]] = {}
    for field in Columns.model_fields:
        value = getattr(columns, field)
        group = [value] if isinstance(value, str) else list(value or ())
        absent = [name for name in group if name not in found]
        if not absent:
            names += group
        elif field in required or len(absent) < len(group):
            missing[field] = absent
    if missing:
        lacking = [name for absent in missing.values() for name in absent]
        settings = ", ".join(f"{field}=..." for field in missing)
        raise CatalogError(
            f"{source}: no column {listed(lacking)}; it has: {listed(found)}. Rename columns in "
            f"the file, or say what they are called with Columns({settings})"
        )
    twice = sorted({name for name in names if found.count(name) > 1})
    if twice:
        raise CatalogError(f"{source}: column {listed(twice)} is there more than once; rename one")
    if columns.box in names and columns.corners and columns.corners[0] in names:
        raise CatalogError(
            f"{source}: boxes are there twice, in column {columns.box} and in columns "
            f"{listed(columns.corners)}; leave one out with Columns(box=None) or (corners=None)"
        )
    return list(dict.fromkeys(names))


def write_csv(path: str | Path, columns: Mapping[str, Sequence[str | None]]) -> None:
    """Write columns of one length as UTF-8, separated by commas; see `Catalog.to_csv`."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    try:
        data = out.getvalue().encode("utf-8")
    except UnicodeEncodeError as error:
        text = printable(out.getvalue()[max(0, error.start - 20) : error.end + 20])
        raise CatalogError(f"{path}: a name is not UTF-8 and cannot be written: {text}") from None
    files.replace(Path(path), lambda unfinished: unfinished.write_bytes(data))
