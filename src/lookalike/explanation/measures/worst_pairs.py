"""The pairs on which a method's maps do worst in deletion: where to look first."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.data import Catalog, decode
from lookalike.explanation.account.explanation import Array, Pictured
from lookalike.explanation.measures.faithfulness import Faithfulness
from lookalike.explanation.measures.measure import Chart, Measure, Outcome, Study, method_label
from lookalike.explanation.measures.object_parts import seen_by
from lookalike.explanation.measures.pairs import PairedPictures
from lookalike.model import Model
from lookalike.progress import Progress
from lookalike.rendering import charts
from lookalike.rendering.charts import to_svg
from lookalike.rendering.numbers import number
from lookalike.rendering.overlays import data_uri, limit_of, overlay, ramp, scaled
from lookalike.rendering.pages import templates
from lookalike.rendering.tables import Table, TableColumn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIDE = 320
"""Longer side of the pictures that are kept for drawing, pixels at most."""
WORST = 6
"""Number of pairs that are kept."""


@dataclass(frozen=True, slots=True, eq=False)
class WorstPair:
    """A pair whose score hardly falls while cells are hidden in the order of the map.

    Args:
        method: Whose maps.
        label: The class of both pictures.
        pictures: A, whose cells are hidden, and B.
        maps: Over A and over B, height × width.
        area: The pair's share in the deletion area; 0.5 is no better than a random order.
        shares: The share of A that is hidden at each step.
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


def measure_worst(
    study: Study, measured: Faithfulness, *, count: int = WORST
) -> tuple[WorstPair, ...]:
    """Return the pairs with the largest shares in the deletion area, the worst first.

    Args:
        study: Its first method is the one that was measured.
        measured: The curves of its pairs.
        count: Number of pairs, at most.
    """
    curves, model, catalog, method = measured.deletion, study.model, study.catalog, study.methods[0]
    areas = curves.by_pair
    chosen = np.argsort(-areas, kind="stable")[:count].tolist()
    rows = [measured.pairs[i] for i in chosen]
    size = study.batch_size
    pairs = PairedPictures.read(catalog, rows, model.preprocessing, batch_size=size)
    maps = replace(study, pairs=pairs).maps(method)
    return tuple(
        WorstPair(
            method=method.name,
            label=catalog.class_name(first),
            pictures=(_pictured(model, catalog, first), _pictured(model, catalog, second)),
            maps=(maps.a[place].double().numpy(), maps.b[place].double().numpy()),
            area=float(areas[i]),
            shares=curves.shares,
            scores=curves.scores[i],
            random=curves.random[i],
        )
        for place, (i, (first, second)) in enumerate(zip(chosen, rows, strict=True))
    )


def _pictured(model: Model, catalog: Catalog, row: int) -> Pictured:
    p = model.preprocessing
    picture = decode(catalog.path(row), background=p.background, draft_side=SIDE)
    picture.thumbnail((SIDE, SIDE))
    return Pictured(picture, seen_by(catalog, row, p), catalog.paths[row])


class WorstPairs(Measure[WorstPair]):
    """The worst pairs of the first method, under the first fill that was measured."""

    key = "worst"
    label = "worst pairs"
    meaning = (
        "The pairs on which hiding A in the order of the map lowers the score least, compared with "
        "a random order. The mean of all pairs' areas is the deletion area; more than 0.5 is worse "
        "than random. The two maps of a pair have one colour scale."
    )

    def run(self, study: Study, progress: Progress | None = None) -> Outcome[WorstPair]:
        """Look up the pairs; none where deletion could not be measured."""
        measured = study.earlier.get("faithfulness", ())
        return Outcome(measure_worst(study, measured[0]) if measured else ())

    def tables(self, results: Sequence[WorstPair]) -> tuple[Table, ...]:
        """Return the class, the pictures and the area of each pair."""
        words = (TableColumn(name, align="left") for name in ("class", "A", "B"))
        rows = tuple(
            (pair.label, *(picture.name for picture in pair.pictures), number(pair.area))
            for pair in results
        )
        return (Table("Worst pairs", (*words, TableColumn("deletion area")), rows),)

    def charts(self, results: Sequence[WorstPair]) -> tuple[Chart, ...]:
        """Show both pictures of each pair, their maps and the score while A is hidden."""
        return tuple(_chart(pair, place) for place, pair in enumerate(results, start=1))


def _chart(pair: WorstPair, place: int) -> Chart:
    limit = limit_of(*pair.maps)
    pictures = [
        (
            letter,
            shown.label,
            data_uri(scaled(shown.picture, SIDE)),
            data_uri(overlay(shown.picture, values, shown.geometry, limit=limit, side=SIDE)),
        )
        for letter, shown, values in zip("AB", pair.pictures, pair.maps, strict=True)
    ]
    page = templates(Path(__file__).parent / "templates").get_template("worst_pair.html")
    return Chart(
        page.render(
            pictures=pictures,
            method=method_label(pair.method),
            curve=to_svg(_curves(pair)),
            ramp=ramp(41).tolist(),
        ),
        title=f"{place}. {pair.label}: deletion area {number(pair.area, 2)}",
    )


def _curves(pair: WorstPair) -> "Figure":
    """Draw the pair's score while A is hidden, in its own units."""
    shares, own, random = (
        tuple(values.tolist()) for values in (pair.shares, pair.scores, pair.random)
    )
    plot = charts.CurvePlot(
        (
            charts.Curve("random order", shares, random, colour=None, dashed=True),
            charts.Curve("order of the map", shares, own),
        ),
        x_label="share of A hidden",
        y_label="score",
    )
    return charts.curves([plot], label="Score while A is hidden")
