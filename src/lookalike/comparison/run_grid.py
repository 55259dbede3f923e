"""Make the runs of a grid: finished ones are reused, a failed one does not stop the others."""

import hashlib
import json
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import torch

from lookalike import checkpoint
from lookalike.comparison.cost import Stopwatch, flops, milliseconds_per_image, parameters
from lookalike.comparison.explanation_numbers import lacks_explanations, with_explanations
from lookalike.comparison.grid import PlannedRun
from lookalike.comparison.run_measures import RUN_MEASURES, Measurand, MeasureRun
from lookalike.comparison.runs import ROW, Comparison, FailedRun, RunRow
from lookalike.data import Catalog
from lookalike.errors import CheckpointError, LookalikeError, UsageError
from lookalike.evaluation.evaluate_catalog import with_roles
from lookalike.explanation.measures import same_class_pairs
from lookalike.files import replace_text
from lookalike.model import Model
from lookalike.recipes import Division, divide, train
from lookalike.recipes.run_folder import is_begun, recipe_of
from lookalike.training import Listener

ERROR = "error.txt"
PICTURES = "comparison.json"
"""A file in a comparison's folder that says which pictures its runs are about."""


def run_grid(
    planned: Sequence[PlannedRun],
    catalog: Catalog,
    folder: str | Path,
    *,
    measure: Sequence[MeasureRun] = tuple(RUN_MEASURES),
    explanations: int | None = None,
    methods: Sequence[str] | None = None,
    listeners: Sequence[Listener] = (),
    say: Callable[[str], None] = print,
) -> Comparison:
    """Make every run of a grid that is not finished yet, and return the rows of all.

    A run that was stopped is resumed at its last epoch. If a run ends with an error of any kind,
    the error is written down and the next run is made.

    Args:
        planned: From `grid`.
        catalog: The pictures, the same for all runs; with a test split.
        folder: Where the run folders are; made if it is not there.
        measure: What to measure of each run in addition to its report.
        explanations: On how many pairs each run's explanations are measured, None for none. A
            finished run that lacks them is not trained again.
        methods: Names of the saliency methods whose maps are measured then; None for the exact
            maps and Grad-CAM's.
        listeners: Called at every event of training.
        say: Called with a line before each step.

    Raises:
        UsageError: The folder holds runs on other pictures, there are no test pictures, or
            explanations are asked for and no class has two test pictures.
    """
    folder = Path(folder)
    _claim(folder, catalog)
    test = divide(catalog, planned[0].recipe).test
    if test is None:
        raise UsageError(f"{catalog.root}: there is no split 'test' to compare on")
    if explanations is not None:
        same_class_pairs(with_roles(test)[0], 1, seed=0)  # raises before the work, not after it
    rows: dict[str, RunRow] = {}
    failures: list[FailedRun] = []
    reused = 0
    for number, run in enumerate(planned, start=1):
        where, place = f"{number} of {len(planned)}: {run.folder}", folder / run.folder
        try:
            if (place / ROW).exists():
                row = _reuse(run, place)
                reused += 1
                say(f"{where} is finished")
            else:
                say(where)
                row = _make(run, catalog, place, measure, listeners)
            rows[run.folder] = row
            if explanations is not None and lacks_explanations(row, explanations, methods):
                say(f"{where}: measuring explanations")
                measurand = _measurand(run, checkpoint.load(place), divide(catalog, run.recipe))
                row = with_explanations(row, measurand, pairs=explanations, methods=methods)
                row.save(place)
                (place / ERROR).unlink(missing_ok=True)  # from an earlier try
                rows[run.folder] = row
        except Exception as error:  # the next run may succeed
            failures.append(_write_down(error, run, folder))
            say(f"{where} failed: {failures[-1].reason}")
    return Comparison(_timed(rows, folder), tuple(failures), reused)


def _reuse(run: PlannedRun, folder: Path) -> RunRow:
    if recipe_of(folder) != run.recipe:
        raise UsageError(f"{folder}: finished with another recipe; choose another folder")
    # The run may have been made by another grid, which varied something else.
    return replace(RunRow.load(folder), varied=run.varied)


def _claim(folder: Path, catalog: Catalog) -> None:
    """Write down which pictures the folder is about, or check that they are the same.

    Catalogs differ in their fingerprint if they have other paths, classes, splits or roles.
    """
    names = (catalog.class_name(i) for i in range(len(catalog)))
    digest = hashlib.sha256()
    for entry in zip(catalog.paths, names, catalog.splits, catalog.roles, strict=True):
        digest.update(repr(entry).encode())
    about = {"data": str(catalog.root), "fingerprint": digest.hexdigest()[:16]}
    mark = folder / PICTURES
    folder.mkdir(parents=True, exist_ok=True)
    if not mark.exists():
        replace_text(mark, json.dumps(about, indent=1) + "\n")
        return
    before = json.loads(mark.read_text(encoding="utf-8"))
    if before.get("fingerprint") != about["fingerprint"]:
        raise UsageError(
            f"{folder}: holds runs on other pictures ({before.get('data')}); choose another folder"
        )


def _make(
    run: PlannedRun,
    catalog: Catalog,
    folder: Path,
    measure: Sequence[MeasureRun],
    listeners: Sequence[Listener],
) -> RunRow:
    watch = Stopwatch(folder)
    done = train(
        run.recipe, catalog, folder, resume=is_begun(folder), listeners=[*listeners, watch]
    )
    model, report, config = done.model, done.report, run.recipe.model
    assert report is not None
    measurand = _measurand(run, model, done.division)
    found = {name: value for each in measure for name, value in each(measurand).items()}
    series = {name: value for name, value in found.items() if isinstance(value, tuple)}
    numbers = {name: value for name, value in found.items() if not isinstance(value, tuple)}
    row = RunRow(
        variant=run.variant,
        recipe=run.recipe.name,
        head=config.head.kind,
        loss=run.recipe.objective.loss.kind,
        backbone=config.backbone.label,
        groups=model.head.groups,
        dim=model.head.levels * model.head.groups * model.head.dim,
        data=report.data,
        selected_on=done.division.selected_on,
        seed=run.recipe.seed,
        measures=dict(report.metrics) | numbers,
        parameters=parameters(model),
        flops=flops(model),
        seconds=round(watch.seconds, 1),
        threads=torch.get_num_threads(),
        series=series,
        varied=run.varied,
    )
    row.save(folder)
    for unfinished in (folder / ERROR, watch.path):
        unfinished.unlink(missing_ok=True)
    return row


def _measurand(run: PlannedRun, model: Model, division: Division) -> Measurand:
    assert division.test is not None
    pictures, _ = with_roles(division.test)
    return Measurand(model, pictures, run.recipe.evaluation, run.recipe.seed)


def _write_down(error: Exception, run: PlannedRun, folder: Path) -> FailedRun:
    known = isinstance(error, LookalikeError)
    reason = str(error) if known else f"{type(error).__name__}: {error}"
    place = folder / run.folder
    place.mkdir(parents=True, exist_ok=True)
    replace_text(place / ERROR, "".join(traceback.format_exception(error)))
    return FailedRun(run.folder, " ".join(reason.split()))


def _timed(rows: Mapping[str, RunRow], folder: Path) -> tuple[RunRow, ...]:
    """Add the time for a picture, measured now for one run of each variant, in turns."""
    models: dict[str, Model] = {}
    for where, row in rows.items():
        if row.variant not in models:
            try:
                models[row.variant] = checkpoint.load(folder / where)
            except CheckpointError:
                continue  # the weights were deleted: the row stays, without its time
    taken = {name: round(ms, 3) for name, ms in milliseconds_per_image(models).items()}
    return tuple(
        replace(row, milliseconds_per_image=taken.get(row.variant)) for row in rows.values()
    )
