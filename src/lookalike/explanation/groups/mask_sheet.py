"""The masks of an ensemble's learners as a sheet."""

from PIL import Image

from lookalike.explanation.groups.masks import Masks
from lookalike.explanation.groups.report import GroupReport, RunGroups
from lookalike.explanation.groups.subject import frame
from lookalike.rendering.labels import broken
from lookalike.rendering.overlays import Array, all_of, overlay
from lookalike.rendering.sheets import Row, Sheet, Tile

MOST_COLUMNS = 12
"""Pictures side by side, where several subjects would be abreast."""


def mask_sheet(report: GroupReport, run: RunGroups, masks: Masks) -> Sheet:
    """Show what each learner lets through of each subject, a row for each learner."""
    names = ("picture", "mean, 0 to 1", "mean", *(f"channel {c}" for c in masks.channels))
    blocks = abreast(len(report.viewing.subjects), columns=len(names))
    rows = []
    for block in blocks:
        seen = {number: _seen(report, run, number) for number in block}
        for place, learner in enumerate(run.view.groups):
            tiles: list[Tile | None] = []
            for number in block:
                tiles.append(seen[number] if place == 0 else None)
                tiles += _masked(masks, number, place, seen[number].picture)
            rows.append(Row(f"learner {learner}", tuple(tiles)))
    return Sheet(
        title=f"{run.view.name}: what each learner's mask lets through",
        note=(
            "A row is a learner. Over each picture: the mean of its mask over all "
            f"{masks.channels_in_all} channels, on the scale from 0 to 1 and stretched, then "
            "single channels, stretched. Beneath: the mean over the picture."
        ),
        rows=tuple(rows),
        meanings=(
            "A mask multiplies what the learner sees: 0 lets nothing through, 1 all of it.",
            f"Stretched is from the lowest to the highest of all that this sheet shows of a "
            f"column: {_ranges(masks)}.",
        ),
        columns=names * len(blocks[0]),
        scale=("0, or the column's lowest", "1, or the column's highest"),
    )


def abreast(subjects: int, *, columns: int) -> list[range]:
    """Split the numbers of subjects into blocks that go side by side, so many columns each.

    >>> abreast(5, columns=5)
    [range(0, 2), range(2, 4), range(4, 5)]
    """
    most = max(1, MOST_COLUMNS // columns)
    return [range(subjects)[start : start + most] for start in range(0, subjects, most)]


def _seen(report: GroupReport, run: RunGroups, number: int) -> Tile:
    subject, p = report.viewing.subjects[number], run.view.model.preprocessing
    return Tile(frame(subject.read(p), p), words=broken(subject.label))


def _masked(masks: Masks, number: int, place: int, seen: Image.Image) -> list[Tile]:
    """Draw one learner's mask over one picture: its mean twice, then the chosen channels."""
    mean, single = masks.means[number, place], masks.single[number, place]
    stretched = [
        _tinted(seen, (values - low) / ((high - low) or 1.0))
        for values, (low, high) in zip((mean, *single), masks.ranges, strict=True)
    ]
    return [
        Tile(_tinted(seen, mean), _decimals(mean)),
        Tile(stretched[0]),
        *(Tile(t, _decimals(v)) for t, v in zip(stretched[1:], single, strict=True)),
    ]


def _tinted(seen: Image.Image, values: Array) -> Image.Image:
    """Draw values from 0 to 1 over what the network saw."""
    return overlay(seen, values, all_of(seen), limit=1.0, side=seen.width)


def _decimals(values: Array) -> str:
    return f"{values.mean():.2f}"


def _ranges(masks: Masks) -> str:
    names = ("mean", *(f"channel {channel}" for channel in masks.channels))
    return "; ".join(
        f"{name} {low:.3f} to {high:.3f}"
        for name, (low, high) in zip(names, masks.ranges, strict=True)
    )
