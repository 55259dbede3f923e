"""Watch a run for problems that raise no error: collapse, and batches without positives."""

from collections.abc import Callable

from lookalike.losses import Spread

COLLAPSED_DISTANCE = 0.05
"""Random unit vectors are √2 apart, those of a trained model well above a tenth."""
COLLAPSED_RANK = 1.5


class Watch:
    """Warn once about each problem, and count how often it occurs.

    Args:
        warn: Called with a sentence for a person.
    """

    def __init__(self, warn: Callable[[str], None]) -> None:
        self._warn = warn
        self._collapsed = False
        self.steps = 0
        self.steps_without_positives = 0

    def step(self, *, anchors: int, without_positives: float) -> None:
        """Take note of a step, and of its anchors without another picture of their class."""
        self.steps += 1
        if without_positives < anchors:
            return
        self.steps_without_positives += 1
        if self.steps_without_positives == 1:
            self._warn(
                "a batch held no two pictures of one class, so nothing was learnt from it; the end "
                "of training says how often this was"
            )

    def spread(self, spread: Spread, *, epoch: int) -> None:
        """Take note of how far apart the embeddings of a batch are."""
        low = spread.mean_distance < COLLAPSED_DISTANCE or spread.effective_rank < COLLAPSED_RANK
        if low and not self._collapsed:
            self._warn(
                f"the embeddings collapse in epoch {epoch}: mean distance of a pair "
                f"{spread.mean_distance:.3f}, effective rank {spread.effective_rank:.1f}; "
                "lower the learning rate, or train the backbone later (frozen_backbone_epochs)"
            )
        self._collapsed = low

    def finish(self) -> None:
        """Warn how often there were no positives, if ever."""
        if self.steps_without_positives:
            self._warn(
                f"{self.steps_without_positives} of {self.steps} batches held no positives; "
                "classes with one picture have none"
            )
