"""What a metric is: a number of a report, with its name, its meaning and which way is better."""

from dataclasses import dataclass
from typing import Literal

Better = Literal["higher", "lower", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """What one number of a report is.

    Args:
        key: Its name in reports and files, e.g. "recall_at_1".
        label: Its name in tables, e.g. "R@1".
        meaning: Its definition in one phrase.
        better: Whether a higher or a lower value is better; "none" if neither is.
        compared: Whether a comparison of models shows it.
    """

    key: str
    label: str
    meaning: str
    better: Better = "higher"
    compared: bool = True
