"""The cells of a CSV or Parquet file as text; `row_parsing.py` says what they mean."""

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lookalike import files
from lookalike.data.catalog.columns import STANDARD, Columns, columns_to_read
from lookalike.data.catalog.messages import RowProblem, printable
from lookalike.errors import CatalogError

DELIMITERS = (",", ";", "\t")


@dataclass(frozen=True, slots=True)
class CellTable:
    """The cells of a file as text.

    Args:
        source: The file.
        word: What its rows are called in messages: "line" or "row".
        rows: Where each row is in the file.
        cells: The columns to read, by their names in the file.
        problems: Rows that could not be split into cells; not in `rows` and `cells`.
    """

    source: str
    word: str
    rows: Sequence[int]
    cells: Mapping[str, Sequence[str]]
    problems: tuple[RowProblem, ...] = ()


def read_table(path: str | Path, columns: Columns = STANDARD) -> CellTable:
    """Read a CSV file (.csv, .tsv, .txt) or a Parquet file (.parquet, .pq), by its suffix.

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


def read_csv(path: str | Path, columns: Columns = STANDARD) -> CellTable:
    """Read a CSV file with commas, semicolons or tabs, whichever fits its header.

    Args:
        path: UTF-8, with or without a byte order mark, with any line ends. The first line that is
            not blank names the columns.
        columns: What the columns are called.

    Raises:
        CatalogError: The file cannot be read, is not UTF-8, or lacks a column.
    """
    text = _read_text(path)
    headers = {delimiter: _header(text, delimiter) for delimiter in DELIMITERS}

    def fit(delimiter: str) -> tuple[bool, int]:
        header = headers[delimiter]
        return {columns.path, columns.label} <= set(header), len(header)

    delimiter = max(DELIMITERS, key=fit)
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
    names = columns_to_read(columns, header, str(path))
    places = {name: header.index(name) for name in names}
    cells = {name: [record[place] for record in records[1:]] for name, place in places.items()}
    return CellTable(str(path), "line", rows[1:], cells, tuple(problems))


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


def read_parquet(path: str | Path, columns: Columns = STANDARD) -> CellTable:
    """Read a Parquet file; rows are counted from 0.

    Args:
        path: With columns of text or whole numbers; boxes may be numbers or lists of numbers.
        columns: What the columns are called.

    Raises:
        CatalogError: The file cannot be read, or lacks a column.
    """
    import pyarrow
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            names = columns_to_read(columns, file.schema_arrow.names, str(path))
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
    return CellTable(str(path), "row", range(table.num_rows), cells)


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
        text = printable(out.getvalue()[max(0, error.start - 20) : error.end + 20])
        raise CatalogError(f"{path}: a name is not UTF-8 and cannot be written: {text}") from None
    files.replace(Path(path), lambda unfinished: unfinished.write_bytes(data))
