"""What groups look at as sheets: their strongest pictures, and the same pictures under each run.

These are figures 3, 4 and 5 of Xu et al. 2020.
"""

from itertools import chain

from lookalike.data import Catalog
from lookalike.explanation.groups.group_report import GroupReport, RunGroups
from lookalike.explanation.groups.peaks import Peak
from lookalike.explanation.groups.subject import Subject, frame, mapped
from lookalike.preprocessing import Preprocessing
from lookalike.rendering.labels import broken, printable
from lookalike.rendering.overlays import Array
from lookalike.rendering.sheets import ColourScale, Sheet, SheetColumn, SheetRow, Tile

MOST_COLUMNS = 12
"""Pictures side by side, if several subjects are in one row."""
TO_PEAK = ColourScale("0", "the map's peak", signed=False)
HOW_TO_READ = (
    "Colour: share of the map in a cell, from none to the map's own peak, which the ring marks."
)


def strongest_pictures(report: GroupReport, run: RunGroups) -> Sheet:
    """Show the pictures in which each group's map has its highest peak (figures 3 and 4)."""
    catalog, p = report.viewing.catalog, run.view.model.preprocessing
    most = report.viewing.per_class
    limit = "" if most is None else f", at most {most} of a class"
    return Sheet(
        title=f"{run.view.name}: the strongest pictures of each group",
        note=(
            f"Of {len(catalog)} pictures, those with the highest peak for each group, the highest "
            f"first{limit}. Beneath each: the peak's share of the map, and the class."
        ),
        rows=tuple(
            SheetRow(label, tuple(_peak(catalog, peak, p) for peak in peaks))
            for label, peaks in zip(run.view.labels, run.peaks, strict=True)
        ),
        scale=TO_PEAK,
        notes=(HOW_TO_READ, run.kind.sentence),
    )


def _peak(catalog: Catalog, peak: Peak, preprocessing: Preprocessing) -> Tile:
    seen = frame(Subject.of(catalog, peak.row).read(preprocessing), preprocessing)
    words = printable(catalog.class_name(peak.row)).replace("_", " ")
    return Tile(mapped(seen, peak.map), peak_share(peak.map), words)


def side_by_side(report: GroupReport) -> Sheet:
    """Show each subject under every run (figure 5), several in one row if groups are few."""
    names = ("picture", *_group_names(report))
    blocks = abreast(len(report.viewing.subjects), columns=len(names))
    columns = tuple(SheetColumn(name) for name in names * len(blocks[0]))
    rows: list[SheetRow] = []
    for block in blocks:
        for run in report.runs:
            tiles = [_seen(report, run, number) for number in block]
            padded = ((*shown, *[None] * (len(names) - len(shown))) for shown in tiles)
            rows.append(
                SheetRow(
                    run.view.head,
                    tuple(chain(*padded)),
                    notes=(run.view.name, run.kind.name),
                    columns=() if rows else columns,
                )
            )
    return Sheet(
        title="The same pictures, seen by the groups of each run",
        note=(
            "A row is a run: its head, its name, and what its maps are. Each picture, then the "
            "maps of the groups over it; beneath each map, its peak's share."
        ),
        rows=tuple(rows),
        scale=TO_PEAK,
        notes=(HOW_TO_READ, *dict.fromkeys(run.kind.sentence for run in report.runs)),
    )


def _seen(report: GroupReport, run: RunGroups, number: int) -> list[Tile]:
    """Show one subject, its name beneath it the first time, and a run's maps over it."""
    subject, p = report.viewing.subjects[number], run.view.model.preprocessing
    seen = frame(subject.read(p), p)
    words = broken(subject.label)
    maps = [Tile(mapped(seen, values), peak_share(values)) for values in run.maps[number]]
    return [Tile(seen, words=words if run is report.runs[0] else ""), *maps]


def _group_names(report: GroupReport) -> list[str]:
    """Name the columns; where runs show different groups, only by their order."""
    longest = max((run.view.labels for run in report.runs), key=len)
    alike = all(run.view.labels == longest[: len(run.view.labels)] for run in report.runs)
    return list(longest) if alike else [""] * len(longest)


def abreast(subjects: int, *, columns: int) -> list[range]:
    """Split the numbers of subjects into blocks that fit into one row, with so many columns each.

    >>> abreast(5, columns=5)
    [range(0, 2), range(2, 4), range(4, 5)]
    """
    most = max(1, MOST_COLUMNS // columns)
    return [range(subjects)[start : start + most] for start in range(0, subjects, most)]


def peak_share(values: Array) -> str:
    """Write a map's peak as a share of the whole map."""
    return f"{values.max():.0%}"
