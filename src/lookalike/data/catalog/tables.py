"""Reading a catalog's cells, as text, from CSV or Parquet; `cells.py` says what they mean."""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from lookalike.data.catalog.columns import STANDARD, Columns, Table, wanted
from lookalike.data.catalog.entries import Problem, shown
from lookalike.errors import CatalogError

DELIMITERS = (",", ";", "\t")


def read_table(path: str | Path, columns: Columns = STANDARD) -> Table:
    """Read a CSV (.csv, .tsv, .txt) or a Parquet file (.parquet, .pq), told apart by the suffix.

    Raises:
        CatalogError: The suffix is another one, or the file cannot be read.
    """
    suffix = Path(path).suffix.lower()
    if suffix in (".csv", ".tsv", ".txt"):
        return read_csv(path, columns)
    if suffix in (".parquet", ".pq"):
        return read_parquet(path, columns)
    reason = "not a .csv or .parquet file" if Path(path).exists() else "no such file or folder"
    raise CatalogError(f"{path}: {reason}; a catalog is a folder of classes, a CSV or Parquet file")


def read_csv(path: str | Path, columns: Columns = STANDARD) -> Table:
    """Read a CSV file separated by commas, semicolons or tabs, whichever suits its header.

    Args:
        path: UTF-8, with or without a byte order mark, any line ends, header in the first line.
        columns: What the columns are called.

    Raises:
        CatalogError: The file cannot be read, is not UTF-8, or lacks a column.
    """
    text = _decoded(path)
    delimiter = _delimiter(text, columns)
    rows: list[int] = []
    records: list[list[str]] = []
    problems: list[Problem] = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header = _header(text, delimiter)
    while True:
        line = reader.line_num + 1
        try:
            record = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            problems.append(Problem(line, _csv_fault(error)))
            continue
        if record and len(record) != len(header):
            problems.append(Problem(line, f"{len(record)} cells, but {len(header)} columns"))
        elif record:
            rows.append(line)
            records.append(record)
    places = [(name, header.index(name)) for name in wanted(columns, header, str(path))]
    cells = {name: [record[place] for record in records[1:]] for name, place in places}
    return Table(str(path), "line", rows[1:], cells, tuple(problems))


def _decoded(path: str | Path) -> str:
    data = _bytes(path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
        line = data.count(b"\n", 0, error.start) + 1
        reason = "it is UTF-16" if wide else f"line {line} has byte 0x{data[error.start]:02x}"
        raise CatalogError(f"{path}: not UTF-8: {reason}; save the file as UTF-8") from None


def _bytes(path: str | Path) -> bytes:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise CatalogError(f"{path}: cannot read the catalog: {error.strerror}") from None
    if not data.strip():
        raise CatalogError(f"{path}: the file is empty; its first line must name the columns")
    return data


def _header(text: str, delimiter: str) -> list[str]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        return [name.strip() for name in next(record for record in reader if record)]
    except csv.Error:
        return []


def _delimiter(text: str, columns: Columns) -> str:
    """Choose what makes the most of the header: the needed columns first, then their number."""

    def fit(delimiter: str) -> tuple[bool, int]:
        header = _header(text, delimiter)
        return {columns.path, columns.label} <= set(header), len(header)

    return max(DELIMITERS, key=fit)


def _csv_fault(error: csv.Error) -> str:
    unclosed = "unexpected end of data" in str(error)
    return "a quote is opened and never closed" if unclosed else str(error)


def read_parquet(path: str | Path, columns: Columns = STANDARD) -> Table:
    """Read a Parquet file; rows are counted from 0.

    Args:
        path: With columns of text, whole numbers, or (boxes) numbers and lists of numbers.
        columns: What the columns are called.

    Raises:
        CatalogError: The file cannot be read, or lacks a column.
    """
    import pyarrow
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            names = wanted(columns, file.schema_arrow.names, str(path))
            table = file.read(columns=names)
    except (OSError, pyarrow.ArrowException) as error:
        reason = " ".join(str(error).split())
        raise CatalogError(f"{path}: cannot read the Parquet file: {reason}") from None
    cells: dict[str, Sequence[str]] = {}
    for name in names:
        column = table.column(name)
        try:
            cells[name] = [_text(value) for value in column.to_pylist()]
        except TypeError:
            raise CatalogError(
                f"{path}: column {name} holds {column.type}; it must hold text or whole numbers"
            ) from None
    return Table(str(path), "row", range(table.num_rows), cells)


def _text(value: object) -> str:
    """Write a Parquet value as a CSV would have it; integers stay exact at any size."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        if math.isnan(value):
            return ""
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        return " ".join(_text(item) for item in value)
    raise TypeError(type(value).__name__)


def write_csv(path: str | Path, columns: Mapping[str, Sequence[str | None]]) -> None:
    """Write columns of one length as UTF-8, separated by commas.

    Raises:
        CatalogError: A text cannot be written as UTF-8: a file name of raw bytes.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    try:
        data = out.getvalue().encode("utf-8")
    except UnicodeEncodeError as error:
        text = shown(out.getvalue()[max(0, error.start - 20) : error.end + 20])
        raise CatalogError(f"{path}: a name is not UTF-8 and cannot be written: {text}") from None
    Path(path).write_bytes(data)
