"""What is measured of each run beside its report, where the model or the pictures allow it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import mean

from jaxtyping import Float
from torch import Tensor

from lookalike.comparison.learners import self_pairs
from lookalike.comparison.measurand import Measurand, Measure, Measured
from lookalike.data import Catalog, has_masks
from lookalike.evaluation.evaluate import retrieve
from lookalike.explanation.measures import peak_parts
from lookalike.types import Embedding

MOST_LEARNERS = 64
"""A head with more groups has no learners to speak of: its groups are a few numbers each."""


def measures_for(catalog: Catalog) -> tuple[Measure, ...]:
    """Return what more can be measured: of a graph its levels, of several groups each of them.

    On figures that `lookalike.data.write_parts` has drawn, also what the groups see.
    """
    always = (level_recalls, learner_recalls)
    return (*always, part_information) if has_masks(catalog) else always


def level_recalls(run: Measurand) -> Measured:
    """Measure R@1 of each level of a graph alone, as a plain embedding; nothing for other heads."""
    model = run.model
    if model.head.levels == 1:
        return {}
    found = {}
    for number, level in enumerate(run.embedded.embedding.levels, start=1):
        alone = model.similarity.unit_vectors(level)[:, 0]
        found[f"recall_at_1_of_level_{number}"] = _recall_at(run, alone, ks=(1,))[1]
    return found


def learner_recalls(run: Measurand) -> Measured:
    """Measure each learner of an ensemble alone, and how alike two of them see one picture.

    Every head counts whose score is a sum of the cosines of 2 to 64 groups.

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
    pairs = self_pairs(vectors)
    return {
        "recall_at_1_of_learners_mean": mean(first),
        "recall_at_1_of_learners_lowest": min(first),
        "recall_at_1_of_learners_highest": max(first),
        "self_pair_cosine_mean": pairs.mean,
        "self_pair_cosine_deviation": pairs.deviation,
        **{f"recall_at_{k}_of_learners": tuple(recall_at[k] for recall_at in each) for k in ks},
        "self_pair_cosine_counts": pairs.counts,
    }


def part_information(run: Measurand) -> Measured:
    """Measure how much a group tells of the part that its map peaks on, in bits.

    The pictures are drawn by `lookalike.data.write_parts`. With one group it is 0. Cells are taken
    to look where they are drawn, as rows of earlier comparisons have it; a report on explanations
    measures the offset.
    """
    peaks = peak_parts(run.model, run.catalog, offset=(0.0, 0.0))
    return {f"part_information_{each.of}": each.information for each in peaks}


def _recall_at(
    run: Measurand, vectors: Float[Tensor, "n d"], *, ks: Sequence[int]
) -> Mapping[int, float]:
    """Search by the cosine of some of an embedding's vectors, in the mode of the report."""
    alone = replace(run.embedded, embedding=Embedding.of(vectors))
    policy = run.evaluation.without_positives
    return retrieve(run.catalog, alone, ks=ks, without_positives=policy).recall_at
