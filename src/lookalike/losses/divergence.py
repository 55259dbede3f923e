"""Divergence: the learners of an ensemble should differ (Kim et al., ECCV 2018, METHODS 2)."""

from typing import Annotated, Literal

import torch
from jaxtyping import Float
from pydantic import Field
from torch import Tensor

from lookalike.config import Config
from lookalike.errors import ConfigError
from lookalike.types import Level


class Divergence(Config):
    """A hinge that pushes the learners of one picture apart, whatever its class.

    `[m_div − D²]₊` of every picture and pair of learners p < q, with `D² = 2 − 2 cos`.
    """

    kind: Literal["divergence"] = "divergence"
    weight: Annotated[float, Field(ge=0)] = 1.0
    """λ_div: how much it counts beside the metric loss; the published 1 goes with "paper"."""
    margin: Annotated[float, Field(ge=0, le=4)] = 1.0
    """m_div: two learners further apart than this, as a squared distance, are left alone."""
    on: Literal["embedding", "attention"] = "embedding"
    """What is pushed apart: the learners' vectors, or their masks, flattened and divided by their
    L2 norms; only the head "ensemble" has masks."""
    normalisation: Literal["paper", "mean"] = "paper"
    """Summed over pictures and pairs of learners, so that it grows with both, or averaged."""

    def penalty(self, level: Level) -> Float[Tensor, ""]:
        """Return how alike the learners of a batch's pictures are; `weight` is not in it.

        Raises:
            ConfigError: The masks are to differ, and the head gave none.
        """
        if self.on == "embedding":
            return self.of_cosines(level.vectors @ level.vectors.transpose(1, 2))
        if level.overlap is None:
            raise ConfigError(
                "objective.diversity.on = attention: the head makes no masks that could differ, or "
                "is not in train mode; take head.kind = ensemble, or on = embedding"
            )
        return self.of_cosines(level.overlap)

    def of_cosines(self, between: Float[Tensor, "n g g"]) -> Float[Tensor, ""]:
        """Return the penalty from cosines between the learners of each picture.

        Every row counts: a picture that is in the batch twice counts twice. It is 0 for a single
        learner.

        >>> between = torch.tensor([[[1.0, 0.9], [0.9, 1.0]], [[1.0, 0.2], [0.2, 1.0]]])
        >>> round(float(Divergence().of_cosines(between)), 4)
        0.8
        """
        learners = between.shape[1]
        p, q = torch.triu_indices(learners, learners, offset=1, device=between.device)
        terms = (self.margin - (2 - 2 * between[:, p, q])).relu()
        return terms.sum() if self.normalisation == "paper" else terms.sum() / max(terms.numel(), 1)
