"""Compare recipes on the same pictures, from Python as from the command line.

Finished runs of a grid are reused, and one that fails does not stop the others.
"""

import hashlib
import json
import re
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import torch

from lookalike import checkpoint
from lookalike import recipes as known_recipes
from lookalike.comparison.comparison_report import ComparisonReport, cautions, write_results
from lookalike.comparison.explanation_numbers import lacks_explanations, with_explanations
from lookalike.comparison.grid import PlannedRun, grid
from lookalike.comparison.run_measures import (
    RUN_MEASURES,
    Measurand,
    MeasureRun,
    flops,
    milliseconds_per_image,
    parameters,
)
from lookalike.comparison.runs import ROW, Comparison, FailedRun, RunRow
from lookalike.config import parse, read_yaml
from lookalike.data import Catalog, Columns, open_named
from lookalike.data.benchmarks import BENCHMARKS
from lookalike.errors import CheckpointError, LookalikeError, UsageError
from lookalike.evaluation.evaluate_catalog import with_roles
from lookalike.explanation.measures import same_class_pairs
from lookalike.explanation.saliency import choose_methods
from lookalike.files import make_folder, replace_text
from lookalike.model import Model
from lookalike.recipes import Division, Recipe, divide, train
from lookalike.recipes.run_folder import is_begun, recipe_of
from lookalike.rendering.numbers import counted
from lookalike.training import EpochEvent, Listener

NAME = "results"
"""Name of the files in the folder of the comparison, before the suffix."""
ERROR = "error.txt"
SECONDS = "seconds.txt"
"""A file in the folder of an unfinished run: how long its epochs have taken so far."""
PICTURES = "comparison.json"
"""A file in a comparison's folder that says which pictures its runs are about."""


def compare(
    data: str | Path | Catalog,
    out: str | Path,
    *,
    recipes: Sequence[str | Path | Recipe] = ("starter",),
    vary: Mapping[str, Sequence[object]] | None = None,
    seeds: Sequence[int] = (0, 1, 2),
    explanations: int | None = None,
    methods: Sequence[str] | None = None,
    results: str | Path | None = None,
    note: str = "",
    columns: Columns | None = None,
    allow_partial: bool = False,
    command: str | None = None,
    listeners: Sequence[Listener] = (),
    say: Callable[[str], None] = print,
) -> ComparisonReport:
    """Train every variant with every seed, and write the results side by side.

    Finished runs are reused, a run that was stopped goes on where it was, and a run that fails
    does not stop the others: see `report.comparison.failures`.

    Args:
        data: The pictures: a catalog, or what `lookalike.data.open_named` reads.
        out: Folder for the runs, and for results.html, .md and .json.
        recipes: Where to start from: names, YAML files of whole recipes, or recipes.
        vary: For each key, or its short name, the values to try; each is combined with each value
            of the other keys: `{"head": ["single", "attentive"], "train.epochs": [5, 10]}`.
        seeds: Each variant is run with each.
        explanations: Also measure each run's explanations, on so many pairs of one class; finished
            runs too.
        methods: Names of the saliency methods whose maps are measured then; None for the exact
            maps and Grad-CAM's.
        results: Also write this name with .json and .md, to keep.
        note: Remarks that are printed with the results.
        columns: What a table of pictures calls its columns.
        allow_partial: Whether a benchmark may lack pictures.
        command: How to repeat it, for the report; None for this call.
        listeners: Called at every event of training.
        say: Called with a line before each step.

    Returns:
        What was written: its `table`, its `verdict`, and the rows of all runs.

    Raises:
        UsageError: There is nothing to run, there is no such method, or the folder holds runs on
            other pictures.
        ConfigError: A recipe or a key is unknown, or a value does not fit.
        CatalogError: The pictures cannot be read.
    """
    texts = {
        key: [value if isinstance(value, str) else json.dumps(value) for value in values]
        for key, values in (vary or {}).items()
    }
    if methods is not None:
        choose_methods(methods)  # raises before the work, not after it
    planned = grid([open_recipe(recipe) for recipe in recipes], texts, seeds)
    kept = None if results is None else Path(results)
    if kept is not None and kept.suffix in {".json", ".md", ".html"}:
        raise UsageError(f"results {kept}: leave {kept.suffix} away; .json and .md are written")
    for folder in (Path(out), *(() if kept is None else (kept.parent,))):
        make_folder(folder)  # before the work, so that nothing is lost at its end
    catalog, name = data, str(data)
    if isinstance(catalog, Catalog):
        name = str(catalog.root)
    else:
        catalog = open_named(name, columns=columns or Columns(), allow_partial=allow_partial)
    found = run_grid(
        planned,
        catalog,
        out,
        explanations=explanations,
        methods=methods,
        listeners=listeners,
        say=say,
    )
    kind, _, root = name.partition(":")
    benchmark = kind if root and kind in BENCHMARKS else None
    report = ComparisonReport(
        with_data_named(found, name),
        title=f"{counted(len({run.variant for run in planned}), 'variant')} on {name}",
        command=command or f"compare({name!r}, {str(out)!r}, vary={texts}, seeds={tuple(seeds)})",
        note=note,
        benchmark=benchmark,
        cautions=cautions(catalog, benchmark),
    )
    files = write_results(report, Path(out) / NAME, page=True)
    if kept is not None:
        files += write_results(report, kept)
    say(f"written: {', '.join(map(str, files))}")
    return report


def open_recipe(recipe: str | Path | Recipe) -> Recipe:
    """Return a recipe by its name, from a YAML file that holds a whole recipe, or as it is.

    Raises:
        UsageError: There is no recipe of this name.
        ConfigError: The file cannot be read, or is not a recipe.
    """
    if isinstance(recipe, Recipe):
        return recipe
    if Path(recipe).suffix not in {".yaml", ".yml"}:
        return known_recipes.named(str(recipe))
    result: Recipe = parse(Recipe, read_yaml(recipe), source=str(recipe))
    return result


def with_data_named(comparison: Comparison, name: str) -> Comparison:
    """Return a comparison whose rows call the pictures by one name, as the user does: "demo"."""
    where = re.compile(r"^.*?(?=(?:, split [^:]*)?: \d+ pictures of \d+ classes$)", re.DOTALL)
    rows = (replace(row, data=where.sub(lambda _: name, row.data)) for row in comparison.rows)
    return replace(comparison, rows=tuple(rows))


class Stopwatch(Listener):
    """Counts a run's seconds from the beginning, earlier parts of a resumed run included.

    The time is written down after every epoch. What a stopped run did after its last whole epoch
    is done again, so its time is not counted.

    Args:
        folder: The run's folder.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / SECONDS
        self._before = float(self.path.read_text("utf-8")) if self.path.exists() else 0.0
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """All parts together, until now."""
        return self._before + time.monotonic() - self._started

    def on_epoch(self, event: EpochEvent) -> None:
        """Write down the time so far."""
        replace_text(self.path, f"{self.seconds:.1f}\n")


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
        explanations: As for `compare`; a finished run that lacks them is not trained again.
        methods: As for `compare`.
        listeners: As for `compare`.
        say: As for `compare`.

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
