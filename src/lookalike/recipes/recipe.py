"""A recipe: all settings that a result depends on, except the pictures."""

from typing import Annotated, Literal

from pydantic import Field

from lookalike.config import Config
from lookalike.data import Augmentation, Catalog
from lookalike.evaluation import Report, evaluate
from lookalike.losses import ObjectiveConfig
from lookalike.model import Model, ModelConfig
from lookalike.progress import Progress
from lookalike.training import TrainConfig


class SplitConfig(Config):
    """How a catalog without splits of its own is divided; always by class."""

    test_share: Annotated[float, Field(gt=0, lt=1)] = 0.3
    """Share of the classes that become the test set if the catalog has no split "test"."""
    allow_closed_set: bool = False
    """Accept test classes that are also trained on. Results then say nothing about new classes."""


class EvaluationConfig(Config):
    """What is measured, and how."""

    ks: tuple[Annotated[int, Field(ge=1)], ...] = (1, 2, 4, 8)
    """Ranks at which recall and precision are given."""
    without_positives: Literal["miss", "ignore"] = "miss"
    """Whether queries without positives count as missed or are left out."""
    clustering: bool = True
    """Whether to cluster too: NMI, AMI and F1."""
    seeds: tuple[int, ...] = (0, 1, 2)
    """Of the clusterings; the spread over them is reported."""
    batch_size: Annotated[int, Field(ge=1)] = 128
    workers: Annotated[int, Field(ge=0)] = 0
    """Processes that read pictures; with 0, the main process reads them."""
    skip_bad: bool = False
    """Leave out pictures that cannot be read, and report them, instead of stopping."""

    def run(
        self,
        model: Model,
        catalog: Catalog,
        *,
        progress: Progress | None = None,
    ) -> Report:
        """Evaluate a model on a catalog by these settings."""
        return evaluate(
            model,
            catalog,
            ks=self.ks,
            without_positives=self.without_positives,
            clustering=self.clustering,
            seeds=self.seeds,
            batch_size=self.batch_size,
            workers=self.workers,
            skip_bad=self.skip_bad,
            progress=progress,
        )


class Recipe(Config):
    """The model, the objective, the training and the evaluation."""

    name: str
    model: ModelConfig
    objective: ObjectiveConfig
    augmentation: Augmentation = Augmentation()
    split: SplitConfig = SplitConfig()
    train: TrainConfig = TrainConfig()
    evaluation: EvaluationConfig = EvaluationConfig()
    seed: Annotated[int, Field(ge=0)] = 0
    """Seed of everything random: the split, new weights, batches and augmentation."""
