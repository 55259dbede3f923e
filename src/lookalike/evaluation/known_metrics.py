"""All metrics that a report may hold, by their keys."""

import re

from lookalike.evaluation.clustering_metrics import CLUSTERING_METRICS
from lookalike.evaluation.metric import Metric
from lookalike.evaluation.retrieval_metrics import RETRIEVAL_METRICS


def find_metric(key: str) -> Metric | None:
    """Return the metric that has this key in a report; None if there is none.

    >>> find_metric("recall_at_10").meaning
    'share of queries with an image of their class among the first 10'
    """
    rank = re.search(r"(?<=_at_)\d+$", key)
    pattern = key[: rank.start()] + "K" if rank else key
    if pattern in RETRIEVAL_METRICS:
        return RETRIEVAL_METRICS[pattern].for_ranks([int(rank[0]) if rank else 1])[0]
    if key.endswith("_spread"):
        clustering = CLUSTERING_METRICS.get(key.removesuffix("_spread"))
        return None if clustering is None else clustering.spread()
    return CLUSTERING_METRICS.get(key)
