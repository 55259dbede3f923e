"""An approximate explanation of a pair by one of many methods, for any network."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from lookalike.explanation.account.explanation import Array, Pictured
from lookalike.explanation.saliency import Baseline
from lookalike.rendering.forms import Shown
from lookalike.rendering.numbers import signed, tiny

STARTS: Mapping[Baseline, str] = {"mean": "the mean colour", "blur": "the blurred picture"}
"""What the baselines are called in a sentence."""


@dataclass(frozen=True, slots=True, eq=False)
class Attribution(Shown):
    """An approximate explanation of a pair's score, for a network that gives no exact account.

    A's map shows what each cell gives to the score while B stays as it is, and B's likewise. For a
    complete method, such as integrated gradients, each map adds up to the change of the score from
    a baseline without content to the picture; `gap` says how far it is from that. Even without a
    gap a map depends on the method and on the baseline. The exact account of an `Explanation`
    depends on neither.

    Args:
        score: The cosine of the two vectors, or a model's own score.
        at_baseline: The score with A at the baseline, and with B; None for methods whose maps do
            not add up to a change of the score.
        maps: For either picture, height × width over the network's input.
        pictures: A and B.
        method: Name of the method.
        label: The method in words.
        steps: Points on the path from a baseline to its picture; None for methods without a path.
        baseline: "mean" is the colour that preprocessing subtracts, "blur" the picture's own blur;
            None for methods without a baseline.
    """

    noun: ClassVar[str] = "an attribution"

    score: float
    at_baseline: tuple[float, float] | None
    maps: tuple[Array, Array]
    pictures: tuple[Pictured, Pictured]
    method: str
    label: str
    steps: int | None = None
    baseline: Baseline | None = None

    @property
    def sums(self) -> tuple[float, float]:
        """What the maps over A and over B add up to."""
        a, b = self.maps
        return float(a.sum()), float(b.sum())

    @property
    def gaps(self) -> tuple[float, float] | None:
        """For either picture, how far its map is from score − score at the baseline."""
        if self.at_baseline is None:
            return None
        a, b = (
            abs(total - (self.score - start))
            for total, start in zip(self.sums, self.at_baseline, strict=True)
        )
        return a, b

    @property
    def gap(self) -> float | None:
        """The larger of `gaps`; None for methods whose maps do not add up to a change."""
        return None if self.gaps is None else max(self.gaps)

    @property
    def made_by(self) -> str:
        """How it was made, in words."""
        if self.baseline is None:
            return self.label
        if self.steps is None:
            return f"{self.label}, against {STARTS[self.baseline]}"
        return f"{self.label}, {self.steps} steps from {STARTS[self.baseline]}"

    def caption(self, side: int) -> str:
        """Say what the map over A (0) or B (1) should add up to, and how much it misses."""
        if self.at_baseline is None or self.gaps is None or self.baseline is None:
            return "The values of this method do not add up to the score"
        change = self.score - self.at_baseline[side]
        return (
            f"From {STARTS[self.baseline]} to {'AB'[side]} the score changes by {signed(change)}; "
            f"the map misses {tiny(self.gaps[side])} of it"
        )

    def __str__(self) -> str:
        lines = [f"similarity   {self.score:+.4f}"]
        for side, (letter, total) in enumerate(zip("AB", self.sums, strict=True)):
            lines.append(f"map of {letter}     {total:+.4f}")
            if self.at_baseline is not None:
                lines[-1] += f" of {self.score - self.at_baseline[side]:+.4f}"
        if self.gap is not None:
            lines.append(f"gap          {self.gap:.1e}")
        return "\n".join([*lines, f"approximate  {self.made_by}", *self.sentences])
