"""Goals of a change: a score below a number or a percentile, or a rank beyond k."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.data import Catalog, Picture
from lookalike.errors import UsageError
from lookalike.explanation.questions.catalog_pictures import row_of
from lookalike.model import Model
from lookalike.rendering.numbers import score
from lookalike.types import Embedding


@dataclass(frozen=True, slots=True, eq=False)
class GoalThreshold:
    """What the score of B must fall below, for each version of the query.

    Args:
        words: The goal, as in "the similarity falls below 0.5".
        number: The threshold of every query, where B has no rivals.
        rivals: Scores queries with the other pictures of a gallery, if there is one. The threshold
            is then the k-th best of these: with a lower score, B is not among the first k.
        k: At least 1.
    """

    words: str
    number: float = 0.0
    rivals: Callable[[Embedding], Float[Tensor, "n m"]] | None = None
    k: int = 1

    def heights(self, queries: Embedding) -> Float[Tensor, " n"]:
        """Return the threshold for each query."""
        if self.rivals is None:
            return torch.full((len(queries),), self.number, dtype=torch.float64)
        return self.rivals(queries).topk(self.k, dim=1).values[:, -1]

    def rank(self, query: Embedding, value: float) -> int | None:
        """Return the rank that a score has for a query; None without a gallery."""
        return None if self.rivals is None else 1 + int((self.rivals(query) > value).sum())


@runtime_checkable
class Goal(Protocol):
    """What a user asks for, whatever the model and the pictures."""

    def threshold(self, model: Model, a: Picture, b: Picture) -> GoalThreshold:
        """Return what the score must fall below.

        Raises:
            UsageError: This model or these pictures cannot reach it.
        """
        ...


@dataclass(frozen=True, slots=True)
class Below:
    """A score below a number.

    Args:
        score: The number.
    """

    score: float

    def threshold(self, model: Model, a: Picture, b: Picture) -> GoalThreshold:
        """Return the number, if a score can be lower."""
        lowest = model.similarity.lowest
        if not isfinite(self.score):
            raise UsageError(f"below {self.score:g}: give a finite number")
        if self.score <= lowest:
            raise UsageError(
                f"below {self.score:g}: this model's scores are never below {lowest:g}; "
                "ask for a higher number"
            )
        return GoalThreshold(f"below {score(self.score)}", self.score)


@dataclass(frozen=True, slots=True)
class BelowPercentile:
    """A score that this percentage of different pairs stay below.

    Args:
        percent: Between 0 and 100.
    """

    percent: float

    def threshold(self, model: Model, a: Picture, b: Picture) -> GoalThreshold:
        """Look the score up in the model's calibration."""
        if not 0 < self.percent < 100:
            raise UsageError(f"percentile {self.percent:g}: choose a number between 0 and 100")
        if model.calibration is None:
            raise UsageError(
                "this model has no calibration, so it has no percentiles: name a score instead"
            )
        different = model.calibration.different
        places = np.linspace(0, 100, len(different))
        value = float(np.interp(self.percent, places, different))
        pairs = f"what {self.percent:g} % of different pairs stay below"
        return GoalThreshold(f"below {score(value)}, {pairs}", value)


@dataclass(frozen=True, slots=True, eq=False)
class OutOfTop:
    """A rank beyond k in a gallery.

    Args:
        k: At least 1.
        gallery: The pictures that B competes with; A and B themselves do not count.
    """

    k: int
    gallery: Catalog

    def threshold(self, model: Model, a: Picture, b: Picture) -> GoalThreshold:
        """Embed the gallery without A and B."""
        own = {row_of(self.gallery, picture) for picture in (a, b)}
        rows = [row for row in range(len(self.gallery)) if row not in own]
        if not 1 <= self.k <= len(rows):
            raise UsageError(
                f"top {self.k}: the gallery has {len(rows)} pictures beside A and B; "
                f"choose from 1 to {len(rows)}"
            )
        others = model.embed_catalog(self.gallery.subset(rows)).embedding

        @torch.no_grad()
        def rivals(queries: Embedding) -> Float[Tensor, "n m"]:
            return model.similarity.matrix(queries, others).double().cpu()

        words = f"out of the top {self.k} of {len(rows) + 1} pictures"
        return GoalThreshold(words, rivals=rivals, k=self.k)
