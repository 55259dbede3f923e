"""What groups look at, as a record and as lines for a terminal."""

from typing import Any

from lookalike.data import Catalog
from lookalike.explanation.groups.group_report import GroupReport, RunGroups
from lookalike.explanation.groups.masks import Masks
from lookalike.explanation.groups.peaks import Peak, peak_cell
from lookalike.explanation.groups.shift import Shift, decimals
from lookalike.rendering.forms import record_of, sentences_of
from lookalike.versions import versions


@record_of.register(GroupReport)
def group_report_record(report: GroupReport) -> dict[str, Any]:
    """Return every number that the figures show under its own name.

    `row` is the picture's row in its source, as in `Catalog.rows`. `cell` is a row and a column of
    the map. Offsets, centres and peaks are pixels of the network's input. For masks, `ranges` has
    the lowest and the highest value of the mean over channels, then of each channel; the means are
    over the positions of a picture, for each picture and learner.
    """
    return {
        "data": str(report.viewing.catalog.root),
        "images": len(report.viewing.catalog),
        "per_class": report.viewing.per_class,
        "pictures": [str(subject.path) for subject in report.viewing.subjects],
        "runs": [_run(report, run) for run in report.runs],
        "versions": versions(),
    }


def _run(report: GroupReport, run: RunGroups) -> dict[str, Any]:
    return {
        "run": run.view.name,
        "head": run.view.head,
        "maps": run.kind.name,
        "meaning": run.kind.sentence,
        "groups_in_all": run.view.model.head.groups,
        "masks": _masks(run),
        "groups": [_group(report, run, place) for place in range(len(run.view.groups))],
    }


def _group(report: GroupReport, run: RunGroups, place: int) -> dict[str, Any]:
    return {
        "group": run.view.groups[place],
        "name": run.view.labels[place],
        "strongest": [_strong(report.viewing.catalog, peak) for peak in run.peaks[place]],
        "pictures": [
            {"weight": float(maps[place].max()), "cell": peak_cell(maps[place])}
            for maps in run.maps
        ],
        "mean_slope": run.mean_slope(place),
        "shifts": [_shift(shift, place) for shift in run.shifts],
    }


def _masks(run: RunGroups) -> dict[str, Any] | None:
    """Return the means over each picture; None if the head has no masks."""
    masks = run.masks
    if masks is None:
        return None
    return {
        "channels": list(masks.channels),
        "channels_in_all": masks.channels_in_all,
        "ranges": [list(ends) for ends in masks.ranges],
        "means": masks.means.mean(axis=(2, 3)).tolist(),
        "channel_means": masks.single.mean(axis=(3, 4)).tolist(),
    }


def _strong(catalog: Catalog, peak: Peak) -> dict[str, Any]:
    return {
        "row": int(catalog.rows[peak.row]),
        "path": str(catalog.path(peak.row)),
        "class": catalog.class_name(peak.row),
        "weight": peak.weight,
        "cell": peak.cell,
    }


def _shift(shift: Shift, place: int) -> dict[str, Any]:
    centre, peak = shift.lines("centre")[place], shift.lines("peak")[place]
    return {
        "along": shift.along,
        "offsets": shift.offsets.tolist(),
        "centres": shift.centres[:, place].tolist(),
        "peaks": shift.peaks[:, place].tolist(),
        "slope": centre.slope,
        "correlation": centre.correlation,
        "peak_slope": peak.slope,
        "peak_correlation": peak.correlation,
    }


@sentences_of.register(GroupReport)
def summary(report: GroupReport) -> tuple[str, ...]:
    """Return the most important numbers as a few lines for each run."""
    lines = []
    for run in report.runs:
        lines.append(f"{run.view.name} ({run.view.head} head). {run.kind.sentence}")
        if run.masks is not None:
            lines.append(_mask_summary(run.masks))
        width = max(10, *map(len, run.view.labels))
        for place, label in enumerate(run.view.labels):
            best = run.peaks[place][0]
            lines.append(
                f"  {label:<{width}} highest peak {best.weight:4.0%} "
                f"in {report.viewing.catalog.class_name(best.row)}; "
                f"follows a shifted object with slope {decimals(run.mean_slope(place))}"
            )
    return tuple(lines)


def _mask_summary(masks: Masks) -> str:
    low, high = masks.ranges[0]
    return (
        f"  masks      mean over channels {low:.3f} to {high:.3f}; shown one by one: "
        f"{', '.join(map(str, masks.channels))} of {masks.channels_in_all} channels"
    )
