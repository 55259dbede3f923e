"""Run a comparison: what is finished is reused, what failed is reported, the rest goes on."""

import hashlib
import json
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from lookalike import checkpoint
from lookalike.backbones import Timm, ViT
from lookalike.comparison.cost import flops, milliseconds_per_image, parameters
from lookalike.comparison.explaining import (
    lacks_explanations,
    with_explanations,
)
from lookalike.comparison.grid import Planned
from lookalike.comparison.measurand import Measurand, Measure, Measured
from lookalike.comparison.row import ROW, Row
from lookalike.comparison.stopwatch import Stopwatch
from lookalike.data import Catalog
from lookalike.errors import CheckpointError, LookalikeError, UsageError
from lookalike.evaluation.evaluate import with_roles
from lookalike.explanation.measures import same_class_pairs
from lookalike.files import replace_text
from lookalike.model import Model
from lookalike.recipes.divide import Division, divide
from lookalike.recipes.run import Run, is_begun, recipe_of, train
from lookalike.training import Listener

ERROR = "error.txt"
MARK = "comparison.json"
"""Says which pictures a comparison's folder is about."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A run that did not end well.

    Args:
        folder: Of the run, relative to the comparison's own.
        reason: In a sentence; the whole trace is in the run's `error.txt`.
    """

    folder: str
    reason: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a comparison found.

    Args:
        rows: Finished runs, in the order of the grid.
        failures: The others.
        reused: How many rows were there from an earlier time.
    """

    rows: tuple[Row, ...]
    failures: tuple[Failure, ...]
    reused: int


def compare(
    planned: Sequence[Planned],
    catalog: Catalog,
    folder: str | Path,
    *,
    measure: Sequence[Measure] = (),
    explanations: int | None = None,
    listeners: Sequence[Listener] = (),
    say: Callable[[str], None] = print,
) -> Comparison:
    """Make every run of a grid that is not finished yet, and read the rows of all.

    A run that was stopped is resumed at the epoch where it was. Any error of one run, ours or
    not, is written down and the next one is made.

    Args:
        planned: From `grid`.
        catalog: The pictures, the same for all; with a test split.
        folder: Where the run folders are; made if it is not there.
        measure: More to measure of each run.
        explanations: On how many pairs each run's explanations are measured, None for none. A
            finished run that lacks them is not trained again.
        listeners: Told of training.
        say: Told in a line what comes next.

    Raises:
        UsageError: The folder holds runs on other pictures, no test pictures come out, or
            explanations are asked for and no class has two of them.
    """
    folder = Path(folder)
    _claim(folder, catalog)
    test = divide(catalog, planned[0].recipe).test
    if test is None:
        raise UsageError(f"{catalog.root}: there is no split 'test' to compare on")
    if explanations is not None:
        same_class_pairs(with_roles(test)[0], 1, seed=0)
    rows: dict[str, Row] = {}
    failures: list[Failure] = []
    reused = 0
    for number, run in enumerate(planned, start=1):
        where = f"{number} of {len(planned)}: {run.folder}"
        try:
            row = finished(folder / run.folder, run)
            if row is not None:
                reused += 1
                say(f"{where} is finished")
            else:
                say(where)
                row = _make(run, catalog, folder / run.folder, measure, listeners)
            rows[run.folder] = row
            if explanations is not None and lacks_explanations(row, explanations):
                say(f"{where}: measuring explanations")
                place = folder / run.folder
                rows[run.folder] = _explained(row, run, catalog, place, pairs=explanations)
        except Exception as error:  # the next run may do well
            failures.append(_write_down(error, run, folder))
            say(f"{where} failed: {failures[-1].reason}")
    return Comparison(tuple(_timed(rows, folder)), tuple(failures), reused)


def finished(folder: Path, run: Planned) -> Row | None:
    """Return the row of a finished run, or None.

    Raises:
        UsageError: The folder holds the run of another recipe.
        LookalikeError: Its files cannot be read.
    """
    if not (folder / ROW).exists():
        return None
    if recipe_of(folder) != run.recipe:
        raise UsageError(f"{folder}: finished with another recipe; choose another folder")
    # A run may have been made by another grid; what this one varies is for this one to say.
    return replace(Row.load(folder), varied=run.varied)


def _claim(folder: Path, catalog: Catalog) -> None:
    """Write down whose pictures the folder is about, or make sure they are the same."""
    about = {"data": str(catalog.root), "fingerprint": _fingerprint(catalog)}
    mark = folder / MARK
    folder.mkdir(parents=True, exist_ok=True)
    if not mark.exists():
        replace_text(mark, json.dumps(about, indent=1) + "\n")
        return
    before = json.loads(mark.read_text(encoding="utf-8"))
    if before.get("fingerprint") != about["fingerprint"]:
        raise UsageError(
            f"{folder}: holds runs on other pictures ({before.get('data')}); choose another folder"
        )


def _fingerprint(catalog: Catalog) -> str:
    """Tell catalogs apart by what they list: paths, classes, splits, roles; not by pixels."""
    names = (catalog.class_name(i) for i in range(len(catalog)))
    digest = hashlib.sha256()
    for entry in zip(catalog.paths, names, catalog.splits, catalog.roles, strict=True):
        digest.update(repr(entry).encode())
    return digest.hexdigest()[:16]


def _make(
    run: Planned,
    catalog: Catalog,
    folder: Path,
    measure: Sequence[Measure],
    listeners: Sequence[Listener],
) -> Row:
    watch = Stopwatch(folder)
    done = train(
        run.recipe, catalog, folder, resume=is_begun(folder), listeners=[*listeners, watch]
    )
    row = _row(run, done, _measured(run, done, measure), watch)
    row.save(folder)
    for unfinished in (folder / ERROR, watch.path):
        unfinished.unlink(missing_ok=True)
    return row


def _explained(row: Row, run: Planned, catalog: Catalog, folder: Path, *, pairs: int) -> Row:
    """Measure the explanations of a finished run, and keep them with its row."""
    model = checkpoint.load(folder)
    measurand = _measurand(run, model, divide(catalog, run.recipe))
    row = with_explanations(row, measurand, pairs=pairs)
    row.save(folder)
    (folder / ERROR).unlink(missing_ok=True)  # of an earlier try
    return row


def _measured(run: Planned, done: Run, measure: Sequence[Measure]) -> dict[str, Any]:
    """Measure what the report of a run does not."""
    measurand = _measurand(run, done.model, done.division)
    found: dict[str, Any] = {}
    for more in measure:
        found.update(more(measurand))
    return found


def _measurand(run: Planned, model: Model, division: Division) -> Measurand:
    assert division.test is not None
    pictures, _ = with_roles(division.test)
    return Measurand(model, pictures, run.recipe.evaluation, run.recipe.seed)


def _row(run: Planned, done: Run, more: Measured, watch: Stopwatch) -> Row:
    model, report = done.model, done.report
    assert report is not None
    config, head = run.recipe.model, model.head
    backbone = config.backbone
    series = {name: value for name, value in more.items() if isinstance(value, tuple)}
    numbers = {name: value for name, value in more.items() if not isinstance(value, tuple)}
    return Row(
        variant=run.variant,
        recipe=run.recipe.name,
        head=config.head.kind,
        loss=run.recipe.objective.loss.kind,
        backbone=backbone.name if isinstance(backbone, Timm | ViT) else backbone.kind,
        groups=head.groups,
        dim=head.levels * head.groups * head.dim,
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


def _write_down(error: Exception, run: Planned, folder: Path) -> Failure:
    known = isinstance(error, LookalikeError)
    reason = str(error) if known else f"{type(error).__name__}: {error}"
    (folder / run.folder).mkdir(parents=True, exist_ok=True)
    trace = "".join(traceback.format_exception(error))
    replace_text(folder / run.folder / ERROR, trace)
    return Failure(run.folder, " ".join(reason.split()))


def _timed(rows: Mapping[str, Row], folder: Path) -> Iterator[Row]:
    """Add the time an image, measured now for all variants together, one run of each."""
    models: dict[str, Model] = {}
    for where, row in rows.items():
        if row.variant not in models:
            try:
                models[row.variant] = checkpoint.load(folder / where)
            except CheckpointError:
                continue  # whoever deleted the weights keeps the row, without its time
    taken = milliseconds_per_image(models)
    for row in rows.values():
        milliseconds = taken.get(row.variant)
        yield replace(
            row, milliseconds_per_image=None if milliseconds is None else round(milliseconds, 3)
        )
