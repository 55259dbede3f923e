"""The retrieval metrics: all that reports, the command line and comparisons know of them.

For a query with R positives among its candidates, rel_i says whether rank i is one of them, and
P(i) = (1/i) Σ_{j≤i} rel_j. The value of a metric is the mean over the queries (STANDARDS 1 and 2).
MAP@R is that of Musgrave et al. 2020. To add a metric, add it to the list below.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Shaped

from lookalike.evaluation.metric import Better, Metric
from lookalike.evaluation.ranked_lists import RankedLists

Values = Shaped[np.ndarray, " n"]
"""A number, or yes or no, for each query."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalMetric(Metric):
    """A metric that is computed from ranked lists.

    Args:
        values: Computes it for each query.
        all_queries: Average over all queries, even if those without positives are to be ignored.
    """

    values: Callable[[RankedLists], Values]
    all_queries: bool = False

    def for_ranks(self, ks: Sequence[int]) -> tuple["RetrievalMetric", ...]:
        """Return the metric itself: it has one value for all ranks."""
        return (self,)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricAtRanks:
    """A metric that has a value at each of several ranks k, as R@1, R@2, R@4.

    In the label and the meaning, {k} stands for the rank and {next} for the rank after it.

    Args:
        key: Ends in "_at_K".
        label: As for a metric.
        meaning: As for a metric.
        values: Computes it for each query, at a rank.
        better: As for a metric.
        compared_at: Ranks at which a comparison of models shows it.
        all_queries: Average over all queries, even if those without positives are to be ignored.
    """

    key: str
    label: str
    meaning: str
    values: Callable[[RankedLists, int], Values]
    better: Better = "higher"
    compared_at: tuple[int, ...] = ()
    all_queries: bool = False

    def at(self, k: int) -> RetrievalMetric:
        """Return the metric at one rank."""
        return RetrievalMetric(
            key=f"{self.key.removesuffix('K')}{k}",
            label=self.label.format(k=k),
            meaning=self.meaning.format(k=k, next=k + 1),
            values=lambda lists: self.values(lists, k),
            better=self.better,
            compared=k in self.compared_at,
            all_queries=self.all_queries,
        )

    def for_ranks(self, ks: Sequence[int]) -> tuple[RetrievalMetric, ...]:
        """Return the metric at each of the ranks."""
        return tuple(self.at(k) for k in ks)


_METRICS: tuple[RetrievalMetric | MetricAtRanks, ...] = (
    MetricAtRanks(
        key="recall_at_K",
        label="R@{k}",
        meaning="share of queries with an image of their class among the first {k}",
        values=lambda lists, k: lists.hits_at(k) > 0,
        compared_at=(1, 2),
    ),
    RetrievalMetric(
        key="map_at_r",
        label="MAP@R",
        meaning="(1/R) Σ_{i≤R} P(i) rel_i, R the number of positives, mean over queries",
        values=lambda lists: lists.average_precision(lists.positives),
    ),
    RetrievalMetric(
        key="r_precision",
        label="R-precision",
        meaning="share of positives among the first R, R their number, mean over queries",
        values=lambda lists: lists.precision(lists.positives),
        compared=False,
    ),
    MetricAtRanks(
        key="precision_at_K",
        label="P@{k}",
        meaning="share of the first {k} that are of the query's class, mean over queries",
        values=lambda lists, k: lists.hits_at(k) / min(k, lists.candidates),
    ),
    MetricAtRanks(
        key="ir_recall_at_K",
        label="IR recall@{k}",
        meaning="share of a query's positives that are among the first {k}, mean over queries",
        values=lambda lists, k: lists.hits_at(k) / np.maximum(lists.positives, 1),
    ),
    RetrievalMetric(
        key="map_dgml",
        label="mAP",
        meaning="mAP of the DiVA and DGML code, R counting the query itself; not MAP@R",
        values=lambda lists: lists.average_precision(lists.positives + 1),
    ),
    RetrievalMetric(
        key="map_dgml_cap",
        label="mAP, cap",
        meaning="value of map_dgml for a perfect ranking",
        values=lambda lists: lists.positives / (lists.positives + 1),
        better="none",
        compared=False,
    ),
    RetrievalMetric(
        key="recall_at_1_worst",
        label="R@1, worst ties",
        meaning="recall_at_1 if every tie went against the model",
        values=RankedLists.first_is_hit_at_worst,
        compared=False,
    ),
    RetrievalMetric(
        key="recall_at_1_best",
        label="R@1, best ties",
        meaning="recall_at_1 if every tie went in the model's favour",
        values=RankedLists.first_is_hit_at_best,
        compared=False,
    ),
    MetricAtRanks(
        key="tie_share_at_K",
        label="ties at {k}",
        meaning="share of queries whose ranks {k} and {next} have the same score, so that the id "
        "decided the order",
        values=RankedLists.tied_at,
        better="lower",
        all_queries=True,
    ),
)
RETRIEVAL_METRICS: dict[str, RetrievalMetric | MetricAtRanks] = {m.key: m for m in _METRICS}
"""The metrics by key, in the order in which a report shows them."""


def retrieval_metrics(ks: Sequence[int]) -> tuple[RetrievalMetric, ...]:
    """Return all retrieval metrics, those at ranks once for each rank."""
    return tuple(metric for entry in RETRIEVAL_METRICS.values() for metric in entry.for_ranks(ks))
