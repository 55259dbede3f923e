"""The masks of an ensemble's learners as a sheet."""

from PIL import Image

from lookalike.explanation.groups.group_report import GroupReport, RunGroups
from lookalike.explanation.groups.group_sheets import abreast
from lookalike.explanation.groups.masks import Masks
from lookalike.explanation.groups.subject import frame
from lookalike.rendering.labels import broken
from lookalike.rendering.overlays import Array, all_of, overlay
from lookalike.rendering.sheets import ColourScale, Sheet, SheetColumn, SheetRow, Tile


def mask_sheet(report: GroupReport, run: RunGroups, masks: Masks) -> Sheet:
    """Show what each learner lets through of each subject, a row for each learner."""
    names = ("picture", "mean, 0 to 1", "mean", *(f"channel {c}" for c in masks.channels))
    blocks = abreast(len(report.viewing.subjects), columns=len(names))
    columns = tuple(SheetColumn(name) for name in names * len(blocks[0]))
    rows: list[SheetRow] = []
    for block in blocks:
        seen = {number: _seen(report, run, number) for number in block}
        for place, learner in enumerate(run.view.groups):
            tiles: list[Tile | None] = []
            for number in block:
                tiles.append(seen[number] if place == 0 else None)
                tiles += _masked(masks, number, place, seen[number].picture)
            name = f"learner {learner}"
            rows.append(SheetRow(name, tuple(tiles), columns=() if rows else columns))
    return Sheet(
        title=f"{run.view.name}: what each learner's mask lets through",
        note=(
            "A row is a learner. Over each picture: the mean of its mask over all "
            f"{masks.channels_in_all} channels, once on the scale from 0 to 1 and once stretched, "
            "then single channels, stretched. Beneath: the mean over the picture."
        ),
        rows=tuple(rows),
        notes=(
            "A mask multiplies what the learner sees: 0 lets nothing through, 1 all of it.",
            "Stretched colours go from the lowest to the highest value of a column on this sheet: "
            f"{_ranges(masks)}.",
        ),
        scale=ColourScale("0, or the column's lowest", "1, or the column's highest", signed=False),
    )


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
