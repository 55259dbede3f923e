"""Choose groups and pictures, and find out what the groups look at."""

from collections.abc import Mapping, Sequence

import numpy as np

from lookalike.data import Catalog, to_inputs
from lookalike.errors import UsageError
from lookalike.explanation.account.group_names import GroupNames
from lookalike.explanation.groups.group_report import GroupReport, RunGroups, RunView, Viewing
from lookalike.explanation.groups.maps import group_maps
from lookalike.explanation.groups.masks import Masks, look_at_masks
from lookalike.explanation.groups.peaks import strongest
from lookalike.explanation.groups.shift import shift_object
from lookalike.explanation.groups.subject import Subject
from lookalike.model import Model
from lookalike.progress import Progress, part_of

MOST_GROUPS = 8
"""Groups that are shown where none were asked for."""


def sample_subjects(catalog: Catalog, count: int, *, seed: int = 0) -> tuple[Subject, ...]:
    """Choose pictures of a catalog: one at random from each of `count` equal stretches.

    Catalogs are often sorted by class. The stretches give different classes, and the random choice
    gives pictures from different places within their class.

    Args:
        catalog: Where to choose; all of its pictures if it has no more than `count`.
        count: How many pictures.
        seed: Of the random choice.
    """
    count = min(count, len(catalog))
    generator = np.random.default_rng(seed)
    stretches = np.array_split(np.arange(len(catalog)), count) if count else []
    rows = [int(generator.choice(stretch)) for stretch in stretches]
    return tuple(Subject.of(catalog, row) for row in rows)


def view_runs(
    models: Mapping[str, Model],
    groups: Sequence[int] | None = None,
    *,
    names: Mapping[str, GroupNames] | None = None,
) -> tuple[RunView, ...]:
    """Choose which groups of each model to show.

    Args:
        models: By what they are called.
        groups: Numbers of groups, from 0. A model shows those that it has. None is the first eight.
        names: What the groups of models are called, by what the model is called.

    Raises:
        UsageError: No model has one of these groups, or a model has none of them.
    """
    counts = {name: model.head.groups for name, model in models.items()}
    missing = sorted(g for g in groups or () if not 0 <= g < max(counts.values(), default=0))
    empty = [name for name, n in counts.items() if groups and not any(0 <= g < n for g in groups)]
    if missing or empty:
        has = ", ".join(f"{name} has 0 to {n - 1}" for name, n in counts.items())
        asked = f"group {missing[0]}" if missing else f"any of these groups in {empty[0]}"
        raise UsageError(f"there is not {asked}: {has}")
    wanted = range(MOST_GROUPS) if groups is None else tuple(dict.fromkeys(groups))
    shown = {name: tuple(g for g in wanted if g < counts[name]) for name in models}
    named = names or {}
    return tuple(
        RunView(
            name,
            model,
            shown[name],
            tuple(named[name].label(g) for g in shown[name]) if name in named else (),
        )
        for name, model in models.items()
    )


def look_at_groups(
    runs: Sequence[RunView], viewing: Viewing, *, progress: Progress | None = None
) -> GroupReport:
    """Find out what groups look at (Xu et al. 2020, figures 2 to 5).

    Args:
        runs: From `view_runs`.
        viewing: What to look at.
        progress: Told how many pictures are done, of how many, over all runs.

    Raises:
        ImageError: A picture cannot be read; it is named.
        UsageError: There is nothing to look at, or no mask has a channel that was asked for.
    """
    if not viewing.subjects:
        raise UsageError("there is no picture to show the runs: name one, or data with some")
    masks = [_masks(view, viewing) for view in runs]
    if viewing.channels is not None and not any(masks):
        raise UsageError("channels are of masks, and no run has any: only head.kind=ensemble does")
    return GroupReport(
        viewing,
        tuple(
            _look(view, viewing, own, part_of(progress, number, len(runs)))
            for number, (view, own) in enumerate(zip(runs, masks, strict=True))
        ),
    )


def _masks(view: RunView, viewing: Viewing) -> Masks | None:
    p = view.model.preprocessing
    images = to_inputs([subject.read(p) for subject in viewing.subjects], p)
    try:
        return look_at_masks(view.model, images, groups=view.groups, channels=viewing.channels)
    except UsageError as error:
        raise UsageError(f"{view.name}: {error}") from None


def _look(
    view: RunView, viewing: Viewing, masks: Masks | None, progress: Progress | None
) -> RunGroups:
    model, groups = view.model, view.groups
    pictures = [subject.read(model.preprocessing) for subject in viewing.subjects]
    images = to_inputs(pictures, model.preprocessing)
    maps, kind = group_maps(model, images, groups=groups)
    return RunGroups(
        view=view,
        kind=kind,
        peaks=strongest(
            model,
            viewing.catalog,
            count=viewing.count,
            per_class=viewing.per_class,
            groups=groups,
            progress=progress,
        ),
        maps=tuple(maps.double().numpy()),
        shifts=tuple(
            shift_object(
                model,
                picture,
                along=viewing.along,
                scale=viewing.scale,
                groups=groups,
            )
            for picture in pictures
        ),
        masks=masks,
    )
