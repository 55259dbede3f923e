"""The pairs on which a method's maps do worst: where to look first."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lookalike.data import Catalog, decode
from lookalike.explanation.account.explanation import Array, Pictured
from lookalike.explanation.measures import Faithfulness, read_pairs
from lookalike.explanation.measures.known_parts import seen_by
from lookalike.explanation.measures.maps import saliency_of
from lookalike.explanation.saliency import Method
from lookalike.model import Model

SIDE = 320
"""Longer side of the pictures that are kept for drawing, pixels at most."""


@dataclass(frozen=True, slots=True, eq=False)
class WorstCase:
    """A pair on which the order of the map hardly lowers the score.

    Args:
        method: Whose maps.
        label: The class of both pictures.
        pictures: A, whose cells are hidden, and B.
        maps: Over A and over B, height × width.
        area: The pair's share in the deletion area; 0.5 is no better than a random order.
        shares: Of A, hidden at each step.
        scores: In the order of the map, score units.
        random: In random order, mean of several.
    """

    method: str
    label: str
    pictures: tuple[Pictured, Pictured]
    maps: tuple[Array, Array]
    area: float
    shares: Array
    scores: Array
    random: Array

    def as_dict(self) -> dict[str, Any]:
        """Return plain numbers."""
        return {
            "method": self.method,
            "class": self.label,
            "pictures": [picture.name for picture in self.pictures],
            "area": self.area,
            "shares": self.shares.tolist(),
            "scores": self.scores.tolist(),
            "random": self.random.tolist(),
        }


def worst_cases(
    model: Model,
    catalog: Catalog,
    method: Method,
    measured: Faithfulness,
    *,
    count: int,
    batch_size: int = 64,
) -> tuple[WorstCase, ...]:
    """Return the pairs with the largest shares in the deletion area, the worst first.

    Args:
        model: What scores them.
        catalog: Whose rows the pairs are.
        method: That was measured.
        measured: Its curves.
        count: How many pairs, at most.
        batch_size: Pictures that go through the network at once.
    """
    curves = measured.deletion
    areas = curves.by_pair
    chosen = np.argsort(-areas, kind="stable")[:count].tolist()
    pairs = [measured.pairs[i] for i in chosen]
    a, b = read_pairs(catalog, pairs, model.preprocessing, batch_size=batch_size)
    maps = saliency_of(method, model, a, b, batch_size=batch_size)
    return tuple(
        WorstCase(
            method=method.name,
            label=catalog.class_name(first),
            pictures=(_pictured(model, catalog, first), _pictured(model, catalog, second)),
            maps=(maps.a[place].double().numpy(), maps.b[place].double().numpy()),
            area=float(areas[i]),
            shares=curves.shares,
            scores=curves.scores[i],
            random=curves.random[i],
        )
        for place, (i, (first, second)) in enumerate(zip(chosen, pairs, strict=True))
    )


def _pictured(model: Model, catalog: Catalog, row: int) -> Pictured:
    p = model.preprocessing
    picture = decode(catalog.path(row), background=p.background, draft_side=SIDE)
    picture.thumbnail((SIDE, SIDE))
    return Pictured(picture, seen_by(catalog, row, p), catalog.paths[row])
