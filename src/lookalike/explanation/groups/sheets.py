"""The figures of Xu et al. 2020 (2, 3, 4 and 5) and masks as sheets, from what was found."""

from itertools import chain

from lookalike.data import Catalog
from lookalike.explanation.groups.mask_sheet import abreast, mask_sheet
from lookalike.explanation.groups.peaks import Peak
from lookalike.explanation.groups.report import GroupReport, RunGroups
from lookalike.explanation.groups.shift import Line, Shift, decimals
from lookalike.explanation.groups.subject import SIDE, Subject, frame, mapped, printable
from lookalike.preprocessing import Preprocessing
from lookalike.rendering.labels import broken
from lookalike.rendering.overlays import Array
from lookalike.rendering.sheets import Row, Sheet, Tile

SCALE = "Colour: share of the map in a cell, from none to the map's own peak, which the ring marks."


def sheets(report: GroupReport) -> dict[str, Sheet]:
    """Return every figure of a report by the name of its file, in the order of a page."""
    found = {f"strongest-{run.view.name}": strongest_pictures(report, run) for run in report.runs}
    found["side-by-side"] = side_by_side(report)
    found |= {
        f"masks-{run.view.name}": mask_sheet(report, run, run.masks)
        for run in report.runs
        if run.masks is not None
    }
    return found | {f"shift-{run.view.name}": shifted(report, run) for run in report.runs}


def strongest_pictures(report: GroupReport, run: RunGroups) -> Sheet:
    """Show the pictures in which each group's map has its highest peak (figures 3 and 4)."""
    catalog, p = report.viewing.catalog, run.view.model.preprocessing
    most = report.viewing.per_class
    limit = "" if most is None else f", at most {most} of a class"
    return Sheet(
        title=f"{run.view.name}: where each group looks hardest",
        note=(
            f"Of {len(catalog)} pictures, those with the highest peak for each group, best first"
            f"{limit}. Beneath each: the peak's share of the map, and the class."
        ),
        rows=tuple(
            Row(label, tuple(_peak(catalog, peak, p) for peak in peaks))
            for label, peaks in zip(run.view.labels, run.peaks, strict=True)
        ),
        meanings=(SCALE, run.kind.sentence),
    )


def _peak(catalog: Catalog, peak: Peak, preprocessing: Preprocessing) -> Tile:
    seen = frame(Subject.of(catalog, peak.row).read(preprocessing), preprocessing)
    words = printable(catalog.class_name(peak.row)).replace("_", " ")
    return Tile(mapped(seen, peak.map), _share(peak.map), words)


def side_by_side(report: GroupReport) -> Sheet:
    """Show each subject under every run (figure 5), several subjects abreast if groups are few."""
    names = ("picture", *_group_names(report))
    blocks = abreast(len(report.viewing.subjects), columns=len(names))
    rows = []
    for block in blocks:
        for run in report.runs:
            tiles = [_seen(report, run, number) for number in block]
            padded = ((*shown, *[None] * (len(names) - len(shown))) for shown in tiles)
            notes = (run.view.name, run.kind.name)
            rows.append(Row(run.view.head, tuple(chain(*padded)), notes=notes))
    return Sheet(
        title="The same pictures, seen by the groups of each run",
        note=(
            "A row is a run: its head, its name, and what its maps are. Each picture, then the "
            "maps of the groups over it; beneath each map, its peak's share."
        ),
        rows=tuple(rows),
        meanings=(SCALE, *dict.fromkeys(run.kind.sentence for run in report.runs)),
        columns=names * len(blocks[0]),
    )


def _seen(report: GroupReport, run: RunGroups, number: int) -> list[Tile]:
    """Show one subject, its name beneath it the first time, and a run's maps over it."""
    subject, p = report.viewing.subjects[number], run.view.model.preprocessing
    seen = frame(subject.read(p), p)
    words = broken(subject.label)
    maps = [Tile(mapped(seen, values), _share(values)) for values in run.maps[number]]
    return [Tile(seen, words=words if run is report.runs[0] else ""), *maps]


def _group_names(report: GroupReport) -> list[str]:
    """Name the columns; where runs show different groups, only by their order."""
    longest = max((run.view.labels for run in report.runs), key=len)
    alike = all(run.view.labels == longest[: len(run.view.labels)] for run in report.runs)
    return list(longest) if alike else [""] * len(longest)


def shifted(report: GroupReport, run: RunGroups) -> Sheet:
    """Show whether maps move with the object (figure 2), on the first of the subjects."""
    first = run.shifts[0]
    mean = f"; the mean is of all {len(run.shifts)} pictures" if len(run.shifts) > 1 else ""
    way = "from left to right" if first.along == "across" else "from top to bottom"
    top = Row(
        "input",
        tuple(
            Tile(still.resize((SIDE, SIDE)), f"{offset - first.offsets[0]:+.0f} px")
            for still, offset in zip(first.frames, first.offsets, strict=True)
        ),
    )
    return Sheet(
        title=f"{run.view.name}: does each group follow the object?",
        note=(
            f"{report.viewing.subjects[0].label}, made smaller and moved {way} on the model's "
            f"background colour. Slope: pixels that the map's centre of mass moves for each pixel "
            f"of the object; 1 follows exactly, 0 stays{mean}."
        ),
        rows=(top, *(_followed(run, place) for place in range(len(run.view.groups)))),
        meanings=(SCALE, run.kind.sentence),
    )


def _followed(run: RunGroups, place: int) -> Row:
    """Draw one group's maps of the first shift, with the slopes beside them."""
    shown: Shift = run.shifts[0]
    centre, peak = shown.lines("centre")[place], shown.lines("peak")[place]
    notes = [f"slope {decimals(centre.slope)}", _correlation(centre)]
    notes.append(f"peak's slope {decimals(peak.slope)}")
    if len(run.shifts) > 1:
        notes.append(f"mean of {len(run.shifts)}: {decimals(run.mean_slope(place))}")
    tiles = tuple(
        Tile(mapped(still.resize((SIDE, SIDE)), values), _share(values))
        for still, values in zip(shown.frames, shown.maps[:, place], strict=True)
    )
    return Row(run.view.labels[place], tiles, notes=tuple(notes))


def _correlation(line: Line) -> str:
    return "does not move" if line.correlation is None else f"r = {decimals(line.correlation)}"


def _share(values: Array) -> str:
    return f"{values.max():.0%}"
