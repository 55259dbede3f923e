"""Sheets as a page."""

from collections.abc import Sequence
from typing import Any

from lookalike.rendering.pages import templates
from lookalike.rendering.sheets import Sheet, bar_places, strongest_bars


def sheet_page(
    sheets: Sequence[Sheet],
    *,
    title: str = "",
    note: str = "",
    closing: str = "",
    record: dict[str, Any] | None = None,
    name: str = "answer",
) -> str:
    """Return a page that refers to nothing outside it.

    Args:
        sheets: Below each other; each has a heading of its own where there are several.
        title: Of the page; the only sheet's if empty.
        note: Beneath the title.
        closing: At the foot of the page.
        record: The numbers, for a button that saves them.
        name: Of the file that the button saves, without `.json`.
    """
    return (
        templates()
        .get_template("sheets.html")
        .render(
            sheets=[(sheet, _bars(sheet)) for sheet in sheets],
            title=title or sheets[0].title,
            own_title=not title,
            note=note,
            closing=closing,
            record=record,
            name=name,
        )
    )


def _bars(sheet: Sheet) -> list[tuple[Any, Any]]:
    bars = strongest_bars(sheet.bars)
    return list(zip(bars, bar_places([bar.value for bar in bars]), strict=True))
