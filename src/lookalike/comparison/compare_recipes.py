"""Compare recipes on the same pictures, from Python as from the command line."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from lookalike import recipes as known_recipes
from lookalike.comparison.comparison_report import ComparisonReport, cautions, write_results
from lookalike.comparison.grid import grid
from lookalike.comparison.run_grid import run_grid
from lookalike.comparison.runs import Comparison
from lookalike.config import parse, read_yaml
from lookalike.data import Catalog, Columns, open_named
from lookalike.data.benchmarks import BENCHMARKS
from lookalike.errors import LookalikeError, UsageError
from lookalike.explanation.saliency import choose_methods
from lookalike.recipes import Recipe
from lookalike.rendering.numbers import counted
from lookalike.training import Listener

NAME = "results"
"""Name of the files in the folder of the comparison, before the suffix."""


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
    _make_folders(Path(out), None if results is None else Path(results))
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
    if results is not None:
        files += write_results(report, Path(results))
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


def _make_folders(out: Path, results: Path | None) -> None:
    """Make the folders before the work, so that nothing is lost at its end."""
    if results is not None and results.suffix in {".json", ".md", ".html"}:
        raise UsageError(
            f"results {results}: leave {results.suffix} away; .json and .md are written"
        )
    for folder in (out, *(() if results is None else (results.parent,))):
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"{folder}: this is a file; name a folder")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LookalikeError(f"{folder}: cannot be made: {error.strerror}") from None
