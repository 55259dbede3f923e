"""Deletion and insertion for pairs: do maps show what the score depends on?

After RISE (Petsiuk et al., BMVC 2018, section 4.3), with the score of a pair in place of a class's
probability. Cells of a picture are hidden, or shown, in the order of the map, the highest first. If
the map shows what the score depends on, the score falls, or rises, at once.

The network was not trained on masked pictures, and cells that lie together leave more of a picture
whole than scattered ones do. So every number depends on the fill: read both fills, and compare with
the map of another pair (`swapped`), which is as smooth as the pair's own. The exact account of a
distance shows what makes two pictures different, not what makes them alike: empty ground makes no
difference, so it comes first in its order.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lookalike.errors import UsageError
from lookalike.explanation.interventions.curves import KINDS, Curves, Kind
from lookalike.explanation.interventions.deletion import DEFAULT, ORDERS, deletion_insertion
from lookalike.explanation.interventions.masking import FILLS, Fill, Masking
from lookalike.explanation.measures.faithfulness_charts import area_chart, curve_chart
from lookalike.explanation.measures.interval_text import estimate, interval_cell
from lookalike.explanation.measures.measure import (
    Chart,
    Measure,
    Outcome,
    Quantity,
    Study,
    measure_table,
    method_label,
)
from lookalike.explanation.saliency import Method, Saliency
from lookalike.progress import Progress
from lookalike.rendering.tables import Table


@dataclass(frozen=True, slots=True, eq=False)
class Faithfulness:
    """How well one method's maps show what the score of same-class pairs depends on.

    Args:
        method: Its name.
        swapped: Each pair was given the map of another pair: a control.
        masking: How pictures were masked.
        pairs: Rows of the catalog.
        deletion: Area below 0.5 is better than a random order.
        insertion: Area above 0.5 is better than a random order.
    """

    method: str
    swapped: bool
    masking: Masking
    pairs: tuple[tuple[int, int], ...]
    deletion: Curves
    insertion: Curves

    @property
    def label(self) -> str:
        """What tables and charts call it."""
        label = method_label(self.method)
        return f"{label}, another pair's" if self.swapped else label

    def curves(self, kind: Kind) -> Curves:
        """Return the curves of a kind."""
        return self.deletion if kind == "deletion" else self.insertion

    def as_dict(self) -> dict[str, Any]:
        """Return plain numbers."""
        return {
            "method": self.method,
            "swapped": self.swapped,
            "masking": self.masking.as_dict(),
            "deletion": self.deletion.as_dict(),
            "insertion": self.insertion.as_dict(),
        }


def measure_faithfulness(
    study: Study,
    *,
    masking: Masking = DEFAULT,
    orders: int = ORDERS,
    swapped: Sequence[Method] = (),
) -> tuple[Faithfulness, ...]:
    """Measure methods on the same pairs, cells and random orders.

    With m methods, the swapped ones counted too, `pairs · (steps − 1) · (2 m + orders)` masked
    pictures go through the network, besides what the methods themselves need.

    Args:
        study: The methods and the pairs.
        masking: How pictures are masked.
        orders: Random orders for each pair.
        swapped: Methods to measure as a control, with every pair given the next one's map.

    Raises:
        UsageError: There is only one pair and a map to swap.
        LookalikeError: A map is not finite.
    """
    pairs = study.pairs
    if swapped and len(pairs) < 2:
        raise UsageError("swapping maps needs at least two pairs, and there is one")
    maps = [*map(study.maps, study.methods), *(swap(study.maps(each)) for each in swapped)]
    names = [*((each.name, False) for each in study.methods), *((m.name, True) for m in swapped)]
    both = deletion_insertion(
        study.model,
        pairs.a,
        pairs.b,
        maps,
        masking=masking,
        clusters=pairs.clusters,
        orders=orders,
        seed=study.seed,
        batch_size=study.batch_size,
    )
    return tuple(
        Faithfulness(name, of_another, masking, pairs.rows, *curves)
        for (name, of_another), curves in zip(names, both, strict=True)
    )


def swap(saliency: Saliency) -> Saliency:
    """Give each pair the maps of the next one."""
    return Saliency(saliency.a.roll(-1, dims=0), saliency.b.roll(-1, dims=0))


class FaithfulnessMeasure(Measure[Faithfulness]):
    """Deletion and insertion of each method under each fill; of the first also maps swapped."""

    key = "faithfulness"
    label = "deletion and insertion"
    meaning = (
        "Cells of picture A are hidden (deletion) or shown (insertion), those highest on the map "
        "first, and the score with the untouched B is followed. The area under its curve is "
        "measured against random orders of the same cells: 0.5 is random, deletion is good when "
        "low, insertion when high. The raw area, under the score itself against the share of the "
        "picture, is in score units. “Another pair's” gives each pair the map of the next: what is "
        "left of a method's advantage there is owed to smooth maps and to objects in the middle, "
        "not to the pair."
    )
    heading = "Explanations: faithfulness"
    reading = (
        "Exact maps are those of the model's own score; Grad-CAM is what others would take. 0.5 is "
        "a random order; what another pair's map gets is owed to smooth maps and to objects in the "
        "middle, not to the pair."
    )
    quantities = (
        Quantity(
            "deletion",
            "deletion",
            "area under the score of same-class pairs while cells of a picture are blurred, those "
            "highest on the map first; 0.5 is a random order, less is better",
            better="lower",
            headline=True,
            chance=0.5,
        ),
        Quantity(
            "insertion",
            "insertion",
            "area under the score of same-class pairs while cells of a blurred picture are shown, "
            "those highest on the map first; 0.5 is a random order, more is better",
            headline=True,
            chance=0.5,
        ),
    )

    def run(self, study: Study, progress: Progress | None = None) -> Outcome[Faithfulness]:
        """Measure under each fill; where the score does not fall under a fill, it is left out."""
        found: list[Faithfulness] = []
        left_out: list[str] = []
        swapped = study.methods[:1] if len(study.pairs) > 1 else ()
        for number, fill in enumerate(study.fills, start=1):
            masking = Masking(fill=fill)
            under_fill = measure_faithfulness(study, masking=masking, swapped=swapped)
            drop = under_fill[0].deletion.drop
            if drop > 0:
                found += under_fill
            else:
                left_out.append(
                    f"{self.label}, fill {fill}: hiding a whole picture changes the score by "
                    f"{-drop:+.3f} on average, so there is no fall to measure"
                )
            if progress is not None:
                progress(number, len(study.fills))
        return Outcome(tuple(found), tuple(left_out))

    def numbers(self, results: Sequence[Faithfulness]) -> dict[str, float]:
        """Return the areas under the first fill."""
        names = {
            f"{each.method}_of_another_pair" if each.swapped else each.method: each
            for each in results
            if each.masking.fill == results[0].masking.fill
        }
        return {
            f"{kind}_{name}": each.curves(kind).area.mean
            for name, each in names.items()
            for kind in KINDS
        }

    def tables(self, results: Sequence[Faithfulness]) -> tuple[Table, ...]:
        """Return a table for each fill: areas, against random orders and in score units."""
        columns = ("map", "deletion ↓", "insertion ↑", "raw deletion", "raw insertion")
        return tuple(
            measure_table(
                f"Faithfulness, hidden cells {FILLS[fill]}",
                columns,
                [(each.label, *map(interval_cell, _areas(each))) for each in under_fill],
                "" if number else self.meaning,
            )
            for number, (fill, under_fill) in enumerate(_by_fill(results))
        )

    def findings(self, results: Sequence[Faithfulness]) -> tuple[str, ...]:
        """Say which map is best under each fill, and whether others are really worse."""
        return tuple(
            _compare([each for each in under_fill if not each.swapped], fill, kind)
            for fill, under_fill in _by_fill(results)
            for kind in KINDS
        )

    def summary(self, results: Sequence[Faithfulness]) -> tuple[str, ...]:
        """Return areas in columns, a line for each map."""
        lines: list[str] = []
        for fill, under_fill in _by_fill(results):
            lines.append(f"{f'hidden cells {FILLS[fill]}':<27}{'deletion':<23}insertion")
            lines += [
                f"{f'  {each.label}':<27}{estimate(each.deletion.area):<23}"
                f"{estimate(each.insertion.area)}"
                for each in under_fill
            ]
        return tuple(lines)

    def charts(self, results: Sequence[Faithfulness]) -> tuple[Chart, ...]:
        """Draw all areas with their intervals, and all curves with their bands."""
        return (area_chart(results), curve_chart(results)) if results else ()

    def procedure(self, results: Sequence[Faithfulness]) -> tuple[str, ...]:
        """Say on which grid and in how many steps pictures were masked."""
        return tuple(
            f"Masked in at most {masking.steps} steps on a grid of at most {masking.cells} × "
            f"{masking.cells} cells; a blur has a deviation of {masking.radius:g} of the side."
            for masking in (each.masking for each in results[:1])
        )


def _by_fill(results: Sequence[Faithfulness]) -> Iterator[tuple[Fill, list[Faithfulness]]]:
    for fill in FILLS:
        under_fill = [each for each in results if each.masking.fill == fill]
        if under_fill:
            yield fill, under_fill


def _areas(each: Faithfulness) -> tuple[Any, ...]:
    both = (each.deletion, each.insertion)
    return (*(curves.area for curves in both), *(curves.raw_area for curves in both))


def _compare(results: Sequence[Faithfulness], fill: Fill, kind: Kind) -> str:
    """Compare the best map with the next one and with random maps."""
    ranked = sorted(
        results, key=lambda each: each.curves(kind).area.mean, reverse=kind == "insertion"
    )
    best = ranked[0]
    text = (
        f"{kind.capitalize()}, hidden cells {FILLS[fill]}: best is {best.label}, "
        f"{estimate(best.curves(kind).area)}"
    )
    for place, each in enumerate(ranked[1:]):
        if place == 0 or each.method == "random":
            overlap = best.curves(kind).area.overlaps(each.curves(kind).area)
            apart = "intervals overlap" if overlap else "intervals apart"
            text += f"; {each.label} {estimate(each.curves(kind).area)}, {apart}"
    return f"{text}."
