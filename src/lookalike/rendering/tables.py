"""Tables: one value, written as Markdown, as text for a terminal, or as HTML."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lookalike.rendering.pages import templates

Mark = Literal["", "best", "near"]
Align = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class TableCell:
    """What stands in one place of a table.

    Args:
        text: Usually a number.
        small: In small print below or after it, for instance a spread or an interval.
        mark: "best" of its column, or "near": not told apart from the best.
    """

    text: str
    small: str = ""
    mark: Mark = ""


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table.

    Args:
        label: Its heading.
        meaning: In a sentence; empty where the heading says enough.
        align: Numbers go to the right, words to the left.
    """

    label: str
    meaning: str = ""
    align: Align = "right"


@dataclass(frozen=True, slots=True)
class Table:
    """Numbers and words in rows and columns.

    Args:
        title: Its heading; empty where what is around it says enough.
        columns: From left to right; the first one names the rows.
        rows: As many cells in each as there are columns; plain text is a cell without extras.
        definition: What the table measures, to be read before it.
        notes: How to read it, a sentence or two each.

    Raises:
        ValueError: A row has another number of cells than there are columns.
    """

    title: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[TableCell | str, ...], ...]
    definition: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"a row of {len(row)} cells under {len(self.columns)} columns")

    @property
    def cells(self) -> tuple[tuple[TableCell, ...], ...]:
        """The rows, plain text as cells."""
        return tuple(
            tuple(TableCell(each) if isinstance(each, str) else each for each in row)
            for row in self.rows
        )


def to_markdown(table: Table) -> list[str]:
    """Return a table as lines of Markdown: title, definition, rows, notes; a blank line between.

    >>> to_markdown(Table("", (TableColumn("run", align="left"), TableColumn("R@1")),
    ...     (("a", TableCell("0.5", "± 0.1", "best")),)))
    ['| run | R@1 |', '| --- | ---: |', '| a | **0.5** ± 0.1 |']
    """
    rows = [
        [column.label for column in table.columns],
        ["---:" if column.align == "right" else "---" for column in table.columns],
        *([_markdown_cell(cell) for cell in row] for row in table.cells),
    ]
    blocks = [
        [f"## {table.title}"] if table.title else [],
        [table.definition] if table.definition else [],
        ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows],
        [f"- {note}" for note in table.notes],
    ]
    lines: list[str] = []
    for block in filter(None, blocks):
        lines += ["", *block] if lines else block
    return lines


def to_text(table: Table) -> str:
    """Return a table as text with aligned columns, its title above; `*` is best, `≈` near.

    >>> print(to_text(Table("Recall", (TableColumn("run", align="left"), TableColumn("R@1")),
    ...     (("first", TableCell("0.5", mark="best")),))))
    Recall
    run      R@1
    first  * 0.5
    """
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="")
    for column in table.columns:
        grid.add_column(Text(column.label), justify=column.align, no_wrap=True)
    signs = {"best": "* ", "near": "≈ ", "": ""}
    for row in table.cells:
        texts = (f"{signs[cell.mark]}{cell.text} {cell.small}" for cell in row)
        grid.add_row(*(Text(text.rstrip()) for text in texts))
    console = Console(width=10_000, color_system=None, force_jupyter=False)
    with console.capture() as captured:
        console.print(grid)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    return "\n".join([table.title, *lines] if table.title else lines)


def to_html(table: Table, *, heading: Literal["h2", "h3"] = "h2") -> str:
    """Return a table as HTML that a template may insert as it is; `heading` is its title's tag."""
    from markupsafe import Markup

    page = templates(Path(__file__).parent / "templates").get_template("table.html")
    return Markup(page.render(table=table, heading=heading))


def _markdown_cell(cell: TableCell) -> str:
    text = f"**{cell.text}**" if cell.mark == "best" else cell.text
    near = "≈" if cell.mark == "near" else ""
    return " ".join(part for part in (text, cell.small, near) if part)
