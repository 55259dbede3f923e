"""The model-parameter randomisation test: does a map depend on what the model has learnt?

After Adebayo et al., NeurIPS 2018. The maps of a model with random weights should have little in
common with those of the trained model. A method that gives the same maps for both shows edges and
colours of the pictures, not what makes them alike to the model. Some agreement remains where
pictures show an object on an empty ground: the ground is empty to any network.
"""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from lookalike.errors import UsageError
from lookalike.explanation.measures.interval_text import interval_cell
from lookalike.explanation.measures.measure import (
    Measure,
    Outcome,
    Quantity,
    Study,
    measure_table,
    method_label,
)
from lookalike.model import Model
from lookalike.progress import Progress
from lookalike.rendering.numbers import number
from lookalike.rendering.tables import Table
from lookalike.statistics.correlation import Correlations, spearman

Weights = Literal["all", "head"]
"""Which weights are made random: all, or only the head's, the first step of a cascade."""
NOISE = 16
"""Noise pictures to measure statistics on where no pictures are given."""


@dataclass(frozen=True, slots=True, eq=False)
class Randomisation:
    """How far the maps of a method agree with those of a model with random weights.

    Args:
        method: Its name.
        weights: Which weights were made random.
        pairs: Rows of the catalog.
        correlations: Spearman's rank correlation over the cells of a map, the mean of both
            pictures, in [−1, 1]; near 0 is right. NaN where neither picture has one.
    """

    method: str
    weights: Weights
    pairs: tuple[tuple[int, int], ...]
    correlations: Correlations

    def as_dict(self) -> dict[str, Any]:
        """Return plain numbers."""
        return {"method": self.method, "part": self.weights, **self.correlations.as_dict()}


def measure_randomisation(study: Study, *, weights: Weights = "all") -> tuple[Randomisation, ...]:
    """Compare the maps of a model with those of the same model with random weights.

    Args:
        study: The methods and the pairs; its seed is also that of the weights.
        weights: Which weights are made random.

    Raises:
        UsageError: There are no such weights.
    """
    pairs = study.pairs
    seen = torch.cat([pairs.a[: study.batch_size], pairs.b[: study.batch_size]])
    other = randomised(study.model, seen, weights=weights, seed=study.seed)
    results = []
    for method in study.methods:
        trained, random = study.maps(method), study.maps(method, model=other)
        both = [spearman(trained.a, random.a), spearman(trained.b, random.b)]
        values = torch.from_numpy(np.stack(both)).nanmean(dim=0).numpy()
        correlations = Correlations(values, pairs.clusters)
        results.append(Randomisation(method.name, weights, pairs.rows, correlations))
    return tuple(results)


@torch.no_grad()
def randomised(
    model: Model,
    images: Float[Tensor, "n 3 s s"] | None = None,
    *,
    weights: Weights = "all",
    seed: int = 0,
) -> Model:
    """Return a copy of a model with random weights, in eval mode.

    Every tensor of weights is drawn from a normal distribution with the mean and the standard
    deviation of the trained one: layers keep their scale and lose what they learnt. What is
    measured on pictures instead of learnt (the statistics of batch norm, the links of a graph) is
    measured again under the new weights, so that activations neither vanish nor explode.

    Args:
        model: It is not changed.
        images: Normalised pixels to measure on, some dozens; noise where None.
        weights: Which weights.
        seed: Of the weights, and of the noise.

    Raises:
        UsageError: There are no such weights.
    """
    copy = deepcopy(model).eval()
    random = torch.Generator().manual_seed(seed)
    module: nn.Module = copy.get_submodule("head") if weights == "head" else copy
    tensors = list(module.parameters())
    if not tensors:
        raise UsageError(f"the {model.config.head.kind} head has no weights to make random")
    for tensor in tensors:
        drawn = torch.randn(tensor.shape, generator=random).to(tensor)
        tensor.copy_(tensor.mean() + drawn * tensor.std(correction=0))
    if images is None:
        size = model.preprocessing.size
        images = torch.randn(NOISE, 3, size, size, generator=random)
    _measure_again(copy, module, images.to(model.device))
    return copy


def _measure_again(model: Model, module: nn.Module, images: Float[Tensor, "n 3 s s"]) -> None:
    """Set a module's batch norm statistics, and the links of a graph, to those of some pictures."""
    norms = [
        each
        for each in module.modules()
        if isinstance(each, nn.modules.batchnorm._BatchNorm) and each.track_running_stats
    ]
    momenta = [norm.momentum for norm in norms]
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None  # the plain mean of the batches it sees
        norm.train()
    model.similarity.forget()
    model.head.train()
    model.similarity.observe(model(images))
    model.similarity.settle()
    model.eval()
    for norm, momentum in zip(norms, momenta, strict=True):
        norm.momentum = momentum


class RandomisationTest(Measure[Randomisation]):
    """The model-parameter randomisation test of each method that has weights."""

    key = "randomisation"
    label = "random weights"
    meaning = (
        "Spearman's rank correlation, over the cells, of a map with the map of the same network "
        "with random weights; near 0 is right: the map depends on what was learnt."
    )
    heading = "Explanations: control"
    reading = "A map that shows what was learnt has little in common with that of random weights."
    quantities = (
        Quantity(
            "random_weights",
            "random weights",
            "rank correlation of maps with those of the same network with random weights; near 0 "
            "is right",
            better="none",
        ),
    )

    def run(self, study: Study, progress: Progress | None = None) -> Outcome[Randomisation]:
        """Measure the methods whose maps depend on weights."""
        methods = tuple(method for method in study.methods if method.has_weights)
        return Outcome(measure_randomisation(replace(study, methods=methods)) if methods else ())

    def numbers(self, results: Sequence[Randomisation]) -> dict[str, float]:
        """Return the mean correlation of each method that has one."""
        return {
            f"random_weights_{each.method}": interval.mean
            for each in results
            if (interval := each.correlations.interval)
        }

    def tables(self, results: Sequence[Randomisation]) -> tuple[Table, ...]:
        """Return a row for each method."""
        rows = [
            (
                method_label(each.method),
                interval_cell(each.correlations.interval),
                str(each.correlations.undefined),
            )
            for each in results
        ]
        columns = ("map", "correlation", "pairs without one")
        return (measure_table("Control: random weights", columns, rows, self.meaning),)

    def findings(self, results: Sequence[Randomisation]) -> tuple[str, ...]:
        """Return all mean correlations in one sentence."""
        told = [
            f"{method_label(each.method)} {number(interval.mean)}"
            for each in results
            if (interval := each.correlations.interval)
        ]
        return (f"Correlation with maps of random weights: {', '.join(told)}.",) if told else ()
