"""An attribution: what the pixels of two pictures give to their score, approximately."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from lookalike.explanation.account.explanation import Array, Pictured
from lookalike.explanation.saliency import Baseline
from lookalike.rendering.forms import Shown

STARTS: Mapping[Baseline, str] = {"mean": "the mean colour", "blur": "the blurred picture"}
"""What the baselines are called in a sentence."""


@dataclass(frozen=True, slots=True, eq=False)
class Attribution(Shown):
    """Integrated gradients of the cosine of two vectors, for networks without exact explanations.

    A's map shows how each cell changes the score on the way from the baseline of A to A, with B
    unchanged; B's map likewise. It is an approximation: `gap` says how far the maps are from adding
    up to that change, and more steps make it smaller. Even without a gap, a map depends on the
    baseline; an exact `Explanation` has no baseline.

    Args:
        score: The cosine of the two vectors.
        at_baseline: The score with A at the baseline, and with B.
        maps: For either picture, height × width over the network's input, in score units.
        pictures: A and B.
        steps: Points on the path from a baseline to its picture.
        baseline: "mean" is the colour that preprocessing subtracts, "blur" the picture's own blur.
    """

    noun: ClassVar[str] = "an attribution"

    score: float
    at_baseline: tuple[float, float]
    maps: tuple[Array, Array]
    pictures: tuple[Pictured, Pictured]
    steps: int
    baseline: Baseline

    @property
    def sums(self) -> tuple[float, float]:
        """What the maps over A and over B add up to."""
        a, b = self.maps
        return float(a.sum()), float(b.sum())

    @property
    def gaps(self) -> tuple[float, float]:
        """For either picture, how far its map is from score − score at the baseline."""
        a, b = (
            abs(total - (self.score - start))
            for total, start in zip(self.sums, self.at_baseline, strict=True)
        )
        return a, b

    @property
    def gap(self) -> float:
        """The larger of `gaps`."""
        return max(self.gaps)

    @property
    def method(self) -> str:
        """How it was made, in words."""
        return f"integrated gradients, {self.steps} steps from {STARTS[self.baseline]}"

    def caption(self, side: int) -> str:
        """Say what the map over A (0) or B (1) should add up to, and by how much it does not."""
        change = self.score - self.at_baseline[side]
        text = (
            f"From {STARTS[self.baseline]} to {'AB'[side]} the score changes by {change:+.3f}; "
            f"the map misses {self.gaps[side]:.0e} of it"
        )
        return text.replace("-", "−")

    def __str__(self) -> str:
        lines = [
            f"map of {letter}     {total:+.4f} of {self.score - start:+.4f}"
            for letter, total, start in zip("AB", self.sums, self.at_baseline, strict=True)
        ]
        return "\n".join(
            [
                f"similarity   {self.score:+.4f}",
                *lines,
                f"gap          {self.gap:.1e}",
                f"approximate  {self.method}",
                *self.sentences,
            ]
        )
