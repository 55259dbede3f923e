"""Mutual information of two things that are counted together."""

import numpy as np
import numpy.typing as npt


def mutual_information(counts: npt.ArrayLike) -> float:
    """Return the mutual information of rows and columns of a table of counts, in bits.

    >>> mutual_information([[10, 0], [0, 10]]), mutual_information([[5, 5], [5, 5]])
    (1.0, 0.0)
    """
    joint = np.asarray(counts, np.float64)
    joint = joint / max(joint.sum(), 1.0)
    apart = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
    seen = joint > 0
    return float((joint[seen] * np.log2(joint[seen] / apart[seen])).sum())
