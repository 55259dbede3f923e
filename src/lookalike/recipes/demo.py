"""The demo: train, evaluate and explain on pictures of the library, and write a page."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

import torch

from lookalike.data import Catalog, demo_catalog
from lookalike.data.addresses import DEMO_MARK
from lookalike.errors import UsageError
from lookalike.evaluation import Report
from lookalike.files import replace_text
from lookalike.heads import Pooled, Single
from lookalike.model import Model, ModelConfig
from lookalike.recipes.demo_page import demo_page
from lookalike.recipes.demo_result_lists import ExplainedResults, draw_queries, explain_results
from lookalike.recipes.recipe import Recipe
from lookalike.recipes.train_recipe import Run, train
from lookalike.training import Listener
from lookalike.versions import training_versions

BEFORE, SINGLE, AFTER = "pretrained features", "one embedding (N)", "attentive groups (A)"
KEYS = {BEFORE: "before", SINGLE: "single", AFTER: "after"}
"""The names of the reports on the page, and in the keys of `report.json`."""
WHY = "why"
"""Folder of the pages that each explain one match."""


@dataclass(frozen=True, slots=True)
class DemoResult:
    """The results of the demo.

    Args:
        figures: The content of `report.json`.
        folder: Holds the page and the run folders.
    """

    figures: dict[str, object]
    folder: Path

    def summary(self) -> str:
        """Return the main figures as a few lines of text."""
        f = self.figures
        measured = [
            f"  {name:<21} {f[f'recall_at_1_{key}']:.3f}"
            for name, key in KEYS.items()
            if f"recall_at_1_{key}" in f
        ]
        last = (
            f"{f['explanations']} explanations, largest gap {f['max_gap']:.1e}; "
            f"{f['seconds']:.0f} seconds in all"
        )
        return "\n".join(["R@1 on concepts never seen in training:", *measured, last])


def run_demo(
    recipe: Recipe,
    folder: str | Path,
    *,
    compare: bool = True,
    queries: int = 6,
    listeners: Sequence[Listener] = (),
    say: Callable[[str], None] = print,
) -> DemoResult:
    """Train on the bundled emoji, evaluate on new concepts, explain matches, and write a page.

    Args:
        recipe: Usually `recipes.emoji()`.
        folder: Created; the files of an earlier demo are replaced.
        compare: Also train a single embedding in the same way.
        queries: How many to explain whose best match is right, and as many whose match is wrong.
        listeners: Called at the events of training.
        say: Called with a line of text before each part.

    Raises:
        UsageError: The folder holds something other than a demo.
    """
    started = time.monotonic()
    folder = _own_folder(Path(folder))
    catalog = demo_catalog()
    test = catalog.split("test")
    say("measuring the pretrained features")
    reports = {BEFORE: recipe.evaluation.run(untrained(recipe), test)}
    if compare:
        say("training one embedding")
        reports[SINGLE] = _train(_with_single(recipe), catalog, folder / "single", listeners)[1]
    say("training attentive groups")
    run, reports[AFTER] = _train(recipe, catalog, folder / "attentive", listeners)
    say("explaining matches")
    drawn = draw_queries(run.model, test, right=queries, wrong=queries, seed=recipe.seed)
    explained = explain_results(run.model, test, drawn)
    _write_best_matches(explained, folder / WHY)
    figures = _figures(recipe, reports, explained, run)
    figures["seconds"] = round(time.monotonic() - started, 1)
    replace_text(folder / "report.json", json.dumps(figures, indent=1) + "\n")
    page = demo_page(run.model, test, reports=reports, explained=explained, figures=figures)
    replace_text(folder / "report.html", page)
    return DemoResult(figures, folder)


def untrained(recipe: Recipe) -> Model:
    """Return the recipe's pretrained backbone with its features average-pooled.

    It pools the map that the recipe's head reads, at the same size of picture.
    """
    config = recipe.model
    pooled = ModelConfig(
        backbone=config.backbone,
        head=Pooled(stage=config.head.top_stage),
        preprocessing=config.preprocessing,
    )
    return pooled.build().eval()


def _own_folder(folder: Path) -> Path:
    mark = folder / DEMO_MARK
    if folder.exists() and any(folder.iterdir()) and not mark.exists():
        raise UsageError(f"{folder}: holds something other than a demo; choose another --out")
    folder.mkdir(parents=True, exist_ok=True)
    mark.touch()
    for name in ("attentive", "single", WHY):
        rmtree(folder / name, ignore_errors=True)
    return folder


def _with_single(recipe: Recipe) -> Recipe:
    model = recipe.model.model_copy(update={"head": Single(stage=recipe.model.head.top_stage)})
    alone = recipe.objective.model_copy(update={"diversity": None})
    return recipe.model_copy(update={"model": model, "objective": alone})


def _train(
    recipe: Recipe, catalog: Catalog, folder: Path, listeners: Sequence[Listener]
) -> tuple[Run, Report]:
    run = train(recipe, catalog, folder, listeners=listeners)
    if run.report is None:
        raise AssertionError("the pictures of the demo have a test split")
    return run, run.report


def _write_best_matches(explained: Sequence[ExplainedResults], folder: Path) -> None:
    """Write a page on the best match of each query, whose regions can be explored."""
    folder.mkdir(exist_ok=True)
    for number, results in enumerate(explained):
        results.matches[0].why.save(folder / f"{number}.html")


def _figures(
    recipe: Recipe, reports: dict[str, Report], explained: Sequence[ExplainedResults], run: Run
) -> dict[str, object]:
    measured = {
        f"{metric}_{KEYS[name]}": report.metrics[metric]
        for metric in ("recall_at_1", "map_at_r", "nmi", "ami")
        for name, report in reports.items()
    }
    gaps = [match.why.gap for results in explained for match in results.matches]
    return {
        **measured,
        "max_gap": max(gaps),
        "explanations": len(gaps),
        "seed": recipe.seed,
        "data": run.division.summary(),
        "threads": torch.get_num_threads(),
        "versions": training_versions(),
    }
