"""Do maps say what the score depends on? Deletion and insertion, for pairs.

After RISE (Petsiuk et al., BMVC 2018, section 4.3), with the score of a pair in place of a class's
probability: cells of a picture are hidden, or shown, in the order of the map, the highest first. A
map that knows what the score rests on makes it fall, or rise, at once.

The masked picture is not one that the network was trained on, and cells that lie together leave
more of it whole than scattered ones do. So every figure depends on the fill: look at both, and at
what another pair's map gets (`swapped`), which is as smooth as the pair's own. And a map of what
sets two pictures apart, as the exact account of a distance is, is no map of what makes them alike:
in its order the ground, which sets nothing apart, comes first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lookalike.data import Catalog
from lookalike.errors import UsageError
from lookalike.explanation.interventions.curves import Curves, Kind
from lookalike.explanation.interventions.deletion import DEFAULT, ORDERS, deletion_insertion
from lookalike.explanation.interventions.masking import Masking
from lookalike.explanation.measures.maps import saliency_of
from lookalike.explanation.measures.measure import Measure, Outcome, Quantity, Study
from lookalike.explanation.measures.pairs import read_pairs, same_class_pairs
from lookalike.explanation.saliency import Method, Saliency
from lookalike.model import Model
from lookalike.progress import Progress


@dataclass(frozen=True, slots=True, eq=False)
class Faithfulness:
    """How well one method's maps say what the score of same-class pairs depends on.

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


def faithfulness(
    model: Model,
    catalog: Catalog,
    methods: Sequence[Method],
    *,
    count: int = 100,
    masking: Masking = DEFAULT,
    orders: int = ORDERS,
    swapped: Sequence[Method] = (),
    seed: int = 0,
    batch_size: int = 64,
) -> tuple[Faithfulness, ...]:
    """Measure methods on the same pairs, cells and random orders.

    With m methods, the swapped ones counted too, `count · (steps − 1) · (2 m + orders)` masked
    pictures go through the network, beside what the methods need themselves.

    Args:
        model: What scores the pairs.
        catalog: Where same-class pairs are drawn from; pictures that the model was not trained on.
        methods: At least one.
        count: Pairs, at most.
        masking: How pictures are masked.
        orders: Random orders for each pair.
        swapped: Methods to measure as a control, with every pair given the next one's map.
        seed: Of pairs, random orders and ties.
        batch_size: Pictures that go through the network at once.

    Raises:
        UsageError: No class has two pictures, or there is one pair only and a map to swap.
        ImageError: A picture cannot be read; it is named.
        LookalikeError: A map is not finite.
    """
    pairs = same_class_pairs(catalog, count, seed=seed)
    a, b = read_pairs(catalog, pairs, model.preprocessing, batch_size=batch_size)
    if swapped and len(pairs) < 2:
        raise UsageError("swapping maps takes two pairs at least, and there is one")
    own = [saliency_of(method, model, a, b, batch_size=batch_size) for method in methods]
    others = [swap(saliency_of(each, model, a, b, batch_size=batch_size)) for each in swapped]
    names = [(method.name, False) for method in methods] + [(each.name, True) for each in swapped]
    both = deletion_insertion(
        model,
        a,
        b,
        own + others,
        masking=masking,
        clusters=[query for query, _ in pairs],
        orders=orders,
        seed=seed,
        batch_size=batch_size,
    )
    return tuple(
        Faithfulness(name, of_another, masking, tuple(pairs), *curves)
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
        "first, and the score with the untouched B is followed."
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
        """Measure under each fill; one under which the score does not fall has no area."""
        found: list[Faithfulness] = []
        left_out: list[str] = []
        swapped = study.methods[:1] if study.count > 1 else ()
        for number, fill in enumerate(study.fills):
            under_fill = faithfulness(
                study.model,
                study.catalog,
                study.methods,
                count=study.count,
                masking=Masking(fill=fill),
                swapped=swapped,
                seed=study.seed,
                batch_size=study.batch_size,
            )
            drop = under_fill[0].deletion.drop
            if drop > 0:
                found += under_fill
            else:
                left_out.append(
                    f"{self.label}, fill {fill}: hiding a whole picture changes the score by "
                    f"{-drop:+.3f} on average, so there is no fall to measure"
                )
            if progress is not None:
                progress(number + 1, len(study.fills))
        return Outcome(tuple(found), tuple(left_out))

    def numbers(self, results: Sequence[Faithfulness]) -> dict[str, float]:
        """Return the areas under the first fill."""
        numbers = {}
        for each in results:
            if each.masking.fill == results[0].masking.fill:
                name = f"{each.method}_of_another_pair" if each.swapped else each.method
                numbers[f"deletion_{name}"] = each.deletion.area.mean
                numbers[f"insertion_{name}"] = each.insertion.area.mean
        return numbers
