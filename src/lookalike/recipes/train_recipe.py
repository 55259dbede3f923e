"""From a recipe and a catalog to a run folder: train, choose, calibrate, measure, save."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from lookalike import checkpoint
from lookalike.config import dump_yaml
from lookalike.data import Catalog, PKBatchSampler, TrainingBatches
from lookalike.errors import ImageError
from lookalike.evaluation import Report, calibrate, retrieval
from lookalike.files import replace_text
from lookalike.model import Model
from lookalike.progress import Progress
from lookalike.recipes.division import Division, divide
from lookalike.recipes.recipe import Recipe
from lookalike.recipes.run_folder import LOG, RECIPE, prepare_folder
from lookalike.training import FitResult, JsonLines, Listener, Trainer, track

NAMED = 5
"""Pictures that a message lists."""


@dataclass(frozen=True, slots=True)
class Run:
    """The result of training a recipe.

    Args:
        folder: The run folder.
        model: The model of the best epoch, calibrated, in eval mode.
        report: Of the test split; None if there is none.
        fit: How training ended.
        division: Which pictures were trained on, validated and tested.
    """

    folder: Path
    model: Model
    report: Report | None
    fit: FitResult
    division: Division


def train(
    recipe: Recipe,
    catalog: Catalog,
    folder: str | Path,
    *,
    resume: bool = False,
    listeners: Sequence[Listener] = (),
    progress: Progress | None = None,
) -> Run:
    """Train a recipe on a catalog and write everything to a folder.

    The folder holds `recipe.yaml`, `model.safetensors` and `config.json` (the best epoch so far),
    `log.jsonl`, `resume.pt`, and at the end `report.json` and `report.md`.

    Args:
        recipe: All settings.
        catalog: Divided by its own splits, or by class if it has none.
        folder: Created if necessary.
        resume: Continue the run in the folder; the recipe must be the same.
        listeners: Called at steps, epochs and warnings, in addition to the log.
        progress: Called while the test pictures are embedded.

    Raises:
        UsageError: The folder holds a run and `resume` is False, or the run of another recipe.
        CatalogError: The catalog cannot be divided.
        DivergedError: A loss or a gradient is not finite.
    """
    folder = Path(folder)
    prepare_folder(folder, recipe, resume=resume)
    division = divide(catalog, recipe)
    torch.manual_seed(recipe.seed)
    model = recipe.model.build()
    model.class_names = division.train.class_names
    replace_text(folder / RECIPE, dump_yaml(recipe.model_dump(mode="json")))
    fit = _fit(model, recipe, division, folder, resume=resume, listeners=listeners)
    best = checkpoint.load(folder)
    best.to(model.device)
    if division.validation is not None:
        held_out = best.embed_catalog(
            division.validation, batch_size=128, skip_bad=recipe.train.skip_bad
        )
        labels = division.validation.labels[held_out.rows.numpy()]
        best.calibration = calibrate(
            best.similarity, held_out.embedding, labels, measured_on=division.selected_on
        )
        _save(best, recipe, division, folder)
    report = None
    if division.test is not None:
        report = recipe.evaluation.run(best, division.test, progress=progress)
        report.save(folder / "report.json")
        report.save(folder / "report.md")
    return Run(folder, best, report, fit, division)


def _save(model: Model, recipe: Recipe, division: Division, folder: Path) -> None:
    checkpoint.save(model, folder, recipe=recipe.model_dump(mode="json"), data=division.summary())


def _fit(
    model: Model,
    recipe: Recipe,
    division: Division,
    folder: Path,
    *,
    resume: bool,
    listeners: Sequence[Listener],
) -> FitResult:
    config, held_out = recipe.train, division.validation
    objective = recipe.objective.build(
        model.similarity,
        classes=len(division.train.class_names),
        groups=model.head.groups,
        dim=model.head.dim,
        levels=model.head.levels,
        seed=recipe.seed,
    )
    batches = _batches(model, recipe, division.train)

    def validate() -> float:
        assert held_out is not None
        return recall_at_1(model, held_out, skip_bad=config.skip_bad)

    with track(config, folder, recipe=recipe.model_dump(mode="json")) as trackers:
        everyone: list[Listener] = [JsonLines(folder / LOG), *trackers, *listeners]
        trainer = Trainer(model, objective, config, seed=recipe.seed, listeners=everyone)
        fit = trainer.fit(
            batches,
            folder=folder,
            save=lambda: _save(model, recipe, division, folder),
            validate=None if held_out is None else validate,
            resume=resume,
        )
    for listener in everyone:
        listener.on_note(f"seen in {batches.sampler.coverage()}")
        if batches.failures:
            listener.on_warning(_left_out(batches.failures))
    return fit


def _batches(model: Model, recipe: Recipe, catalog: Catalog) -> TrainingBatches:
    config = recipe.train
    sampler = PKBatchSampler(
        catalog.labels,
        classes_per_batch=config.classes_per_batch,
        images_per_class=config.images_per_class,
        batches_per_epoch=config.batches_per_epoch,
        groups=catalog.groups,
        seed=recipe.seed,
    )
    return TrainingBatches(
        catalog,
        model.preprocessing,
        recipe.augmentation,
        sampler,
        seed=recipe.seed,
        workers=config.workers,
        cache_mib=config.cache_mib,
        skip_bad=config.skip_bad,
    )


def _left_out(failures: Sequence[ImageError]) -> str:
    named = "; ".join(str(failure) for failure in failures[:NAMED])
    more = f"; and {len(failures) - NAMED} more" if len(failures) > NAMED else ""
    return f"{len(failures)} pictures could not be read and were not trained on: {named}{more}"


def recall_at_1(model: Model, catalog: Catalog, *, skip_bad: bool = False) -> float:
    """Return R@1 of a model on a catalog that is its own gallery, self-matches removed."""
    embedded = model.embed_catalog(catalog, batch_size=128, skip_bad=skip_bad)
    labels = catalog.labels[embedded.rows.numpy()]
    result = retrieval(embedded.embedding, labels, ks=(1,), similarity=model.similarity)
    return result.recall_at[1]
