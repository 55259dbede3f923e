"""Whether groups follow a shifted object, as a sheet (Xu et al. 2020, figure 2)."""

from lookalike.explanation.groups.group_report import GroupReport, RunGroups
from lookalike.explanation.groups.group_sheets import HOW_TO_READ, TO_PEAK, peak_share
from lookalike.explanation.groups.shift import LinearFit, Shift, decimals
from lookalike.explanation.groups.subject import SIDE, mapped
from lookalike.rendering.sheets import Sheet, SheetRow, Tile


def shift_sheet(report: GroupReport, run: RunGroups) -> Sheet:
    """Show whether maps move with the object, for the first subject."""
    first = run.shifts[0]
    mean = f"; the mean is of all {len(run.shifts)} pictures" if len(run.shifts) > 1 else ""
    way = "from left to right" if first.along == "across" else "from top to bottom"
    top = SheetRow(
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
            "background colour. Slope: pixels that the map's centre of mass moves for each pixel "
            f"of the object; 1 follows exactly, 0 does not move{mean}."
        ),
        rows=(top, *(_followed(run, place) for place in range(len(run.view.groups)))),
        scale=TO_PEAK,
        notes=(HOW_TO_READ, run.kind.sentence),
    )


def _followed(run: RunGroups, place: int) -> SheetRow:
    """Draw one group's maps of the first shift, with the slopes beside them."""
    shown: Shift = run.shifts[0]
    centre, peak = shown.lines("centre")[place], shown.lines("peak")[place]
    notes = [f"slope {decimals(centre.slope)}", _correlation(centre)]
    notes.append(f"peak's slope {decimals(peak.slope)}")
    if len(run.shifts) > 1:
        notes.append(f"mean of {len(run.shifts)}: {decimals(run.mean_slope(place))}")
    tiles = tuple(
        Tile(mapped(still.resize((SIDE, SIDE)), values), peak_share(values))
        for still, values in zip(shown.frames, shown.maps[:, place], strict=True)
    )
    return SheetRow(run.view.labels[place], tiles, notes=tuple(notes))


def _correlation(fit: LinearFit) -> str:
    return "does not move" if fit.correlation is None else f"r = {decimals(fit.correlation)}"
