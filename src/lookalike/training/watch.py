"""Watch a run for what goes wrong quietly: collapse, and batches without positives."""

from collections.abc import Callable

from lookalike.losses import Spread

# Unit vectors in general position lie √2 apart; a trained model's lie well above a tenth.
COLLAPSED_DISTANCE = 0.05
COLLAPSED_RANK = 1.5


class Watch:
    """Say once what looks wrong, and count how often it was.

    Args:
        warn: Takes a sentence for a person.
    """

    def __init__(self, warn: Callable[[str], None]) -> None:
        self._warn = warn
        self._collapsed = False
        self.steps = 0
        self.steps_without_positives = 0

    def step(self, *, anchors: int, without_positives: float) -> None:
        """Take note of a step in which some anchors had no other picture of their class."""
        self.steps += 1
        if without_positives < anchors:
            return
        self.steps_without_positives += 1
        if self.steps_without_positives == 1:
            self._warn(
                "a batch held no two pictures of a class, so that its pairs taught nothing; "
                "the end of training says how often"
            )

    def spread(self, spread: Spread, *, epoch: int) -> None:
        """Take note of how far apart a batch's embeddings lie."""
        low = spread.mean_distance < COLLAPSED_DISTANCE or spread.effective_rank < COLLAPSED_RANK
        if low and not self._collapsed:
            self._warn(
                f"the embeddings collapse in epoch {epoch}: mean distance of a pair "
                f"{spread.mean_distance:.3f}, effective rank {spread.effective_rank:.1f}; "
                "lower the learning rate, or train the backbone later (frozen_backbone_epochs)"
            )
        self._collapsed = low

    def finish(self) -> None:
        """Say how often there were no positives, if ever."""
        if self.steps_without_positives:
            self._warn(
                f"{self.steps_without_positives} of {self.steps} batches held no positives; "
                "classes with one picture give none"
            )
