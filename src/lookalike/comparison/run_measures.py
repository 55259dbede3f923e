"""What a comparison measures of each run in addition to its report, and what a model costs.

`RUN_MEASURES` lists it: a new entry is measured, written into the rows and shown in tables.
"""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import mean, median

import torch
from jaxtyping import Float
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from lookalike.comparison.runs import Series
from lookalike.data import Catalog, has_masks
from lookalike.evaluation import Metric, find_metric
from lookalike.evaluation.evaluate_catalog import retrieve
from lookalike.explanation.measures import peak_parts
from lookalike.model import EmbeddedCatalog, Model, evaluating
from lookalike.recipes.recipe import EvaluationConfig
from lookalike.types import Embedding

MOST_LEARNERS = 64
"""Groups of a head with more are not measured alone: each has only a few numbers."""
BINS = 40
"""Bins of the histogram of cosines, all of the same width, from −1 to 1."""
AT_ONCE = 2**22
"""Cosines of all learners with all that are made at once, before half of them are left out."""


@dataclass(frozen=True, eq=False)
class Measurand:
    """A trained model and the pictures that it is measured on.

    Args:
        model: The model of the best epoch.
        catalog: The test pictures; if pictures have roles, those that have one.
        evaluation: How they are measured.
        seed: Seed of the run, for what is drawn at random to measure it.
    """

    model: Model
    catalog: Catalog
    evaluation: EvaluationConfig
    seed: int = 0

    @cached_property
    def embedded(self) -> EmbeddedCatalog:
        """The embedding of the pictures: made at the first use, and shared by all measures."""
        settings = self.evaluation
        return self.model.embed_catalog(
            self.catalog,
            batch_size=settings.batch_size,
            workers=settings.workers,
            skip_bad=settings.skip_bad,
        )


Measured = Mapping[str, float | Series]
"""Numbers by key, which become columns, and series of numbers, which only the files have."""

MeasureRun = Callable[[Measurand], Measured]
"""Something to measure of each run; it returns nothing for models that it does not apply to."""


def level_recalls(run: Measurand) -> Measured:
    """Measure R@1 of each level of a graph alone; nothing for heads with one level."""
    model = run.model
    if model.head.levels == 1:
        return {}
    alone = map(model.similarity.unit_vectors, run.embedded.embedding.levels)
    return {
        f"recall_at_1_of_level_{number}": _recall_at(run, vectors[:, 0], ks=(1,))[1]
        for number, vectors in enumerate(alone, start=1)
    }


def learner_recalls(run: Measurand) -> Measured:
    """Measure each learner of an ensemble alone, and how alike two of them see one picture.

    Applies to every head whose score is a sum of the cosines of 2 to 64 groups.

    Returns:
        R@1 of one learner as mean, lowest and highest; mean and standard deviation of the cosine
        of two learners on one picture. As series, R@K of each learner and the histogram of the
        cosines.
    """
    head = run.model.head
    if head.levels != 1 or not 2 <= head.groups <= MOST_LEARNERS:
        return {}
    vectors = run.embedded.embedding.levels[0].vectors
    ks = tuple(sorted({1, *run.evaluation.ks}))
    each = [_recall_at(run, vectors[:, p], ks=ks) for p in range(head.groups)]
    first = [recall_at[1] for recall_at in each]
    cosines = self_pair_cosines(vectors)
    counts = torch.histc(cosines, bins=BINS, min=-1, max=1)
    return {
        "recall_at_1_of_learners_mean": mean(first),
        "recall_at_1_of_learners_lowest": min(first),
        "recall_at_1_of_learners_highest": max(first),
        "self_pair_cosine_mean": float(cosines.double().mean()),
        "self_pair_cosine_deviation": float(cosines.double().std(correction=0)),
        **{f"recall_at_{k}_of_learners": tuple(recall_at[k] for recall_at in each) for k in ks},
        "self_pair_cosine_counts": tuple(map(int, counts.tolist())),
    }


def part_information(run: Measurand) -> Measured:
    """Measure how much a group tells of the object part that its map peaks on, in bits.

    Nothing where the pictures have no masks of the parts. With one group it is 0. Cells are taken
    to look at where they are drawn, as in rows of earlier comparisons; the report on explanations
    measures the offset.
    """
    if not has_masks(run.catalog):
        return {}
    peaks = peak_parts(run.model, run.catalog, offset=(0.0, 0.0))
    return {f"part_information_{each.of}": each.information for each in peaks}


RUN_MEASURES: Mapping[MeasureRun, tuple[Metric, ...]] = {
    level_recalls: (
        Metric(
            key="recall_at_1_of_level_N",
            label="R@1, level N",
            meaning="recall_at_1 of level N of the graph alone, by the cosine of its nodes",
        ),
    ),
    learner_recalls: (
        Metric(
            key="recall_at_1_of_learners_mean",
            label="R@1 of one learner, mean",
            meaning="recall_at_1 of each group (learner) alone, mean over them",
        ),
        *(
            Metric(
                key=f"recall_at_1_of_learners_{end}",
                label=f"R@1 of one learner, {end}",
                meaning=f"recall_at_1 of the group (learner) that alone finds {amount}",
                better="none",
            )
            for end, amount in (("lowest", "least"), ("highest", "most"))
        ),
        Metric(
            key="self_pair_cosine_mean",
            label="self-pair cosine, mean",
            meaning="cosine of two groups (learners) on one picture, mean over all pictures and "
            "pairs of groups",
            better="none",
        ),
        Metric(
            key="self_pair_cosine_deviation",
            label="self-pair cosine, deviation",
            meaning="standard deviation of the cosine of two groups (learners) on one picture, "
            "over all pictures and pairs of groups",
            better="none",
        ),
    ),
    part_information: (
        *(
            Metric(
                key=f"part_information_{of}",
                label=f"part bits, {of}",
                meaning="mutual information, in bits, of a group and the drawn part at the "
                f"{place}; 0 for one group",
            )
            for of, place in (
                ("attention", "peak of its attention"),
                ("tokens", "position that adds most to its vector"),
            )
        ),
    ),
}
"""What is measured of every run, with the numbers that it gives. N stands for a number."""


def metric_of(key: str) -> Metric:
    """Return what is known of a number in a run's row; of a caller's own only its key.

    >>> metric_of("recall_at_1_of_level_2").label, metric_of("recall_at_1").label
    ('R@1, level 2', 'R@1')
    """
    known = {metric.key: metric for metrics in RUN_MEASURES.values() for metric in metrics}
    if key in known:
        return known[key]
    number = re.search(r"\d+$", key)
    if number and (numbered := known.get(f"{key[: number.start()]}N")):
        label, meaning = (
            re.sub(r"\bN\b", number[0], s) for s in (numbered.label, numbered.meaning)
        )
        return replace(numbered, key=key, label=label, meaning=meaning)
    return find_metric(key) or Metric(key=key, label=key, meaning="")


def self_pair_cosines(vectors: Float[Tensor, "n g d"]) -> Float[Tensor, "n p"]:
    """Return how alike each two learners see each picture (Kim et al. 2018; METHODS 2).

    Args:
        vectors: Of L2 norm 1, at least two for each picture.

    >>> self_pair_cosines(torch.tensor([[[1.0, 0.0], [0.0, 1.0]]]))
    tensor([[0.]])
    """
    groups = vectors.shape[1]
    p, q = torch.triu_indices(groups, groups, offset=1)
    pieces = torch.split(vectors, max(1, AT_ONCE // groups**2))
    return torch.cat([(piece @ piece.mT)[:, p, q] for piece in pieces]).clamp(-1, 1)


def parameters(model: Model) -> int:
    """Count the parameters of backbone and head."""
    return sum(parameter.numel() for parameter in model.parameters())


@torch.no_grad()
def flops(model: Model) -> int:
    """Count the operations that embed one picture; a multiply-add counts as two.

    Only matrix products and convolutions count, as in the literature.
    """
    with evaluating(model), FlopCounterMode(display=False) as counter:
        model(_pictures(model, 1))
    return int(counter.get_total_flops())


@torch.no_grad()
def milliseconds_per_image(
    models: Mapping[str, Model], *, batch: int = 32, rounds: int = 7
) -> dict[str, float]:
    """Measure the milliseconds to embed a picture that is already prepared, by name of a model.

    The models take turns in every round, so that other work of the machine slows all of them.

    Args:
        models: By name.
        batch: Pictures in a batch.
        rounds: How many rounds are timed, after one that is not; the median counts.
    """
    taken: dict[str, list[float]] = {name: [] for name in models}
    for _ in range(rounds + 1):
        for name, model in models.items():
            images = _pictures(model, batch)
            with evaluating(model):
                started = time.perf_counter()
                model(images).flat().sum().item()  # .item() waits for the device
                taken[name].append(time.perf_counter() - started)
    return {name: 1000 * median(t[1:]) / batch for name, t in taken.items()}


def _pictures(model: Model, count: int) -> torch.Tensor:
    size = model.preprocessing.size
    return torch.zeros(count, 3, size, size, device=model.device)


def _recall_at(
    run: Measurand, vectors: Float[Tensor, "n d"], *, ks: Sequence[int]
) -> Mapping[int, float]:
    """Search by the cosine of some of an embedding's vectors, as the report does."""
    alone = replace(run.embedded, embedding=Embedding.of(vectors))
    policy = run.evaluation.without_positives
    return retrieve(run.catalog, alone, ks=ks, without_positives=policy).recall_at
