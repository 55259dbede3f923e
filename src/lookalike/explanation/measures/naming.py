"""Names for groups, counted on known parts of objects."""

from lookalike.errors import UsageError
from lookalike.explanation.account.group_names import NAMES as NAMES
from lookalike.explanation.account.group_names import GroupNames as GroupNames
from lookalike.explanation.account.group_names import named as named
from lookalike.explanation.measures.groups import PeakParts


def name_groups(peaks: PeakParts, *, at_least: float = 0.0) -> GroupNames:
    """Name each group after the part that its map peaks on most often.

    A group that peaks there no more often than a peak in any cell would has no name.

    Args:
        peaks: From `peak_parts`.
        at_least: The share of pictures, in [0, 1], in which it must; a group without such a part
            has no name.

    Raises:
        UsageError: There is no such share.
    """
    if not 0 <= at_least <= 1:
        raise UsageError(f"at_least = {at_least:g}: a share of pictures lies between 0 and 1")
    parts = len(peaks.columns) - 1
    counted = peaks.counts[:, :parts] / len(peaks.codes)
    most = counted.argmax(axis=1)
    rows = [
        (peaks.columns[part], float(share), float(peaks.chance[part]))
        if share > peaks.chance[part] and share >= at_least
        else (None, None, None)
        for part, share in zip(most, counted.max(axis=1), strict=True)
    ]
    names, shares, chances = zip(*rows, strict=True)
    return GroupNames(names, shares, chances)
