"""What a report on groups is saved as: a page, numbers, and a picture of each sheet."""

from collections.abc import Callable
from pathlib import Path

from lookalike.explanation.groups.group_record import group_report_record
from lookalike.explanation.groups.group_report import GroupReport
from lookalike.explanation.groups.group_sheets import side_by_side, strongest_pictures
from lookalike.explanation.groups.mask_sheet import mask_sheet
from lookalike.explanation.groups.shift_sheet import shift_sheet
from lookalike.rendering.figures import write_figure
from lookalike.rendering.forms import files_of, page_of, to_json
from lookalike.rendering.sheet_figure import draw_sheet
from lookalike.rendering.sheet_page import sheet_page
from lookalike.rendering.sheets import Sheet


def group_sheets(report: GroupReport) -> dict[str, Sheet]:
    """Return every sheet of a report by the name of its file, in the order of a page."""
    runs = report.runs
    masks = [(run, run.masks) for run in runs if run.masks is not None]
    return {
        **{f"strongest-{run.view.name}": strongest_pictures(report, run) for run in runs},
        "side-by-side": side_by_side(report),
        **{f"masks-{run.view.name}": mask_sheet(report, run, own) for run, own in masks},
        **{f"shift-{run.view.name}": shift_sheet(report, run) for run in runs},
    }


@page_of.register(GroupReport)
def group_page(report: GroupReport) -> str:
    """Return a page with all sheets; it refers to nothing outside it."""
    return _page(report, group_sheets(report))


@files_of.register(GroupReport)
def group_files(report: GroupReport) -> dict[str, Callable[[Path], object]]:
    """Return the files of a report by name, the page first."""
    sheets = group_sheets(report)
    page, record = _page(report, sheets), to_json(group_report_record(report))
    return {
        "groups.html": lambda path: path.write_text(page, encoding="utf-8"),
        "groups.json": lambda path: path.write_text(f"{record}\n", encoding="utf-8"),
        **{f"{name}.png": _writer(sheet) for name, sheet in sheets.items()},
    }


def _writer(sheet: Sheet) -> Callable[[Path], object]:
    return lambda path: write_figure(draw_sheet(sheet), path)


def _page(report: GroupReport, sheets: dict[str, Sheet]) -> str:
    runs = ", ".join(
        f"{run.view.name} ({run.view.head} head, {len(run.view.groups)} of "
        f"{run.view.model.head.groups} groups shown)"
        for run in report.runs
    )
    return sheet_page(
        list(sheets.values()),
        title="What the groups look at",
        note=(
            f"{runs}; {len(report.viewing.catalog)} pictures. Every picture is shown as the "
            "network sees it."
        ),
        closing=(
            "A map tells which positions count, not which pixels alone would do: what a network "
            "knows of a position comes from more of the picture than the position itself."
        ),
    )
