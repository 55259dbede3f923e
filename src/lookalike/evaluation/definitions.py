"""What each number in a report is, in one sentence."""

import re

_DEFINITIONS = {
    "recall_at_K": "share of queries with an image of their class among the first K",
    "precision_at_K": "share of the first K that are of the query's class, mean over queries",
    "ir_recall_at_K": "share of a query's positives that are among the first K, mean over queries",
    "tie_share_at_K": "share of queries whose ranks K and K+1 score the same: the id decided",
    "recall_at_1_worst": "recall_at_1 if every tie went against the model",
    "recall_at_1_best": "recall_at_1 if every tie went for the model",
    "map_at_r": "(1/R) Σ_{i≤R} P(i) rel_i, R the number of positives, mean over queries",
    "r_precision": "share of positives among the first R, R their number, mean over queries",
    "map_dgml": "mAP of the DiVA and DGML code, R counting the query itself; not MAP@R",
    "map_dgml_cap": "what a perfect ranking gets in map_dgml",
    "nmi": "2 I(Y;C) / (H(Y)+H(C)) of classes and clusters, not adjusted for chance",
    "ami": "mutual information of classes and clusters, adjusted for chance: random is 0",
    "f1": "F1 over pairs of images: same cluster against same class",
    "part_information_attention": "mutual information, in bits, of a group and the drawn part at "
    "the peak of its attention; 0 for one group",
    "part_information_tokens": "mutual information, in bits, of a group and the drawn part at the "
    "position that adds most to its vector; 0 for one group",
    "recall_at_1_of_learners_mean": "recall_at_1 of each group (learner) alone, mean over them",
    "recall_at_1_of_learners_lowest": "recall_at_1 of the group (learner) that alone finds least",
    "recall_at_1_of_learners_highest": "recall_at_1 of the group (learner) that alone finds most",
    "self_pair_cosine_mean": "cosine of two groups (learners) on one picture, mean over all "
    "pictures and pairs of groups",
    "self_pair_cosine_deviation": "standard deviation of the cosine of two groups (learners) on "
    "one picture, over all pictures and pairs of groups",
}


def definition(metric: str) -> str:
    """Say what a number in a report is.

    >>> definition("recall_at_10")
    'share of queries with an image of their class among the first 10'
    """
    if metric.endswith("_spread"):
        return f"standard deviation of {metric.removesuffix('_spread')} over the seeds"
    if level := re.fullmatch(r"recall_at_1_of_level_(\d+)", metric):
        return f"recall_at_1 of level {level[1]} of the graph alone, by the cosine of its nodes"
    if ranked := re.fullmatch(r"(.+_at_)(\d+)", metric):
        return re.sub(r"\bK\b", ranked[2], _DEFINITIONS[f"{ranked[1]}K"])
    return _DEFINITIONS[metric]
