"""The metrics that a comparison measures of each run beside those of its report."""

import re

from lookalike.evaluation import Metric, find_metric

_METRICS = (
    Metric(
        key="part_information_attention",
        label="part bits, attention",
        meaning="mutual information, in bits, of a group and the drawn part at the peak of its "
        "attention; 0 for one group",
    ),
    Metric(
        key="part_information_tokens",
        label="part bits, tokens",
        meaning="mutual information, in bits, of a group and the drawn part at the position that "
        "adds most to its vector; 0 for one group",
    ),
    Metric(
        key="recall_at_1_of_learners_mean",
        label="R@1 of one learner, mean",
        meaning="recall_at_1 of each group (learner) alone, mean over them",
    ),
    Metric(
        key="recall_at_1_of_learners_lowest",
        label="R@1 of one learner, lowest",
        meaning="recall_at_1 of the group (learner) that alone finds least",
        better="none",
    ),
    Metric(
        key="recall_at_1_of_learners_highest",
        label="R@1 of one learner, highest",
        meaning="recall_at_1 of the group (learner) that alone finds most",
        better="none",
    ),
    Metric(
        key="self_pair_cosine_mean",
        label="self-pair cosine, mean",
        meaning="cosine of two groups (learners) on one picture, mean over all pictures and pairs "
        "of groups",
        better="none",
    ),
    Metric(
        key="self_pair_cosine_deviation",
        label="self-pair cosine, deviation",
        meaning="standard deviation of the cosine of two groups (learners) on one picture, over "
        "all pictures and pairs of groups",
        better="none",
    ),
)
RUN_METRICS: dict[str, Metric] = {metric.key: metric for metric in _METRICS}


def metric_of_run(key: str) -> Metric | None:
    """Return the metric that has this key in a row of a comparison; None if there is none.

    >>> metric_of_run("recall_at_1_of_level_2").label
    'R@1, level 2'
    """
    level = re.fullmatch(r"recall_at_1_of_level_(\d+)", key)
    if level:
        return Metric(
            key=key,
            label=f"R@1, level {level[1]}",
            meaning=f"recall_at_1 of level {level[1]} of the graph alone, by the cosine of its "
            "nodes",
        )
    return RUN_METRICS.get(key) or find_metric(key)


def definition(key: str) -> str:
    """Say in one phrase what a number of a row is; empty if it is not known."""
    metric = metric_of_run(key)
    return "" if metric is None else metric.meaning
