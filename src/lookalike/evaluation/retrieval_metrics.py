"""The retrieval metrics: all that reports, the command line and comparisons know of them.

For a query with R positives among its candidates, rel_i says whether rank i is one of them, and
P(i) = (1/i) Σ_{j≤i} rel_j. The value of a metric is the mean over the queries (STANDARDS 1 and 2).
To add a metric, add it to `RETRIEVAL_METRICS`.
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
        """Return the metric itself: it has one value, whatever the ranks."""
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


def recall(lists: RankedLists, k: int) -> Values:
    """Say whether there is a positive among the first k."""
    found: Values = lists.hits_at(k) > 0
    return found


def precision(lists: RankedLists, k: int) -> Values:
    """Return the share of positives among the first k, or among all candidates if fewer."""
    return lists.hits_at(k) / min(k, lists.candidates)


def information_retrieval_recall(lists: RankedLists, k: int) -> Values:
    """Return the share of the positives that are among the first k."""
    share: Values = lists.hits_at(k) / np.maximum(lists.positives, 1)
    return share


def map_at_r(lists: RankedLists) -> Values:
    """Return (1/R) Σ_{i≤R} P(i) rel_i (Musgrave et al. 2020)."""
    return lists.average_precision(lists.positives)


def r_precision(lists: RankedLists) -> Values:
    """Return (1/R) Σ_{i≤R} rel_i."""
    return lists.precision(lists.positives)


def map_dgml(lists: RankedLists) -> Values:
    """Return what the DiVA and DGML code calls mAP: MAP@R with R + 1 in place of R."""
    return lists.average_precision(lists.positives + 1)


def map_dgml_cap(lists: RankedLists) -> Values:
    """Return the value of `map_dgml` for a perfect ranking."""
    cap: Values = lists.positives / (lists.positives + 1)
    return cap


_METRICS: tuple[RetrievalMetric | MetricAtRanks, ...] = (
    MetricAtRanks(
        key="recall_at_K",
        label="R@{k}",
        meaning="share of queries with an image of their class among the first {k}",
        values=recall,
        compared_at=(1, 2),
    ),
    RetrievalMetric(
        key="map_at_r",
        label="MAP@R",
        meaning="(1/R) Σ_{i≤R} P(i) rel_i, R the number of positives, mean over queries",
        values=map_at_r,
    ),
    RetrievalMetric(
        key="r_precision",
        label="R-precision",
        meaning="share of positives among the first R, R their number, mean over queries",
        values=r_precision,
        compared=False,
    ),
    MetricAtRanks(
        key="precision_at_K",
        label="P@{k}",
        meaning="share of the first {k} that are of the query's class, mean over queries",
        values=precision,
    ),
    MetricAtRanks(
        key="ir_recall_at_K",
        label="IR recall@{k}",
        meaning="share of a query's positives that are among the first {k}, mean over queries",
        values=information_retrieval_recall,
    ),
    RetrievalMetric(
        key="map_dgml",
        label="mAP",
        meaning="mAP of the DiVA and DGML code, R counting the query itself; not MAP@R",
        values=map_dgml,
    ),
    RetrievalMetric(
        key="map_dgml_cap",
        label="mAP, cap",
        meaning="value of map_dgml for a perfect ranking",
        values=map_dgml_cap,
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
