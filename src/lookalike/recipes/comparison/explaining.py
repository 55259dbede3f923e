"""How good a run's explanations are: areas of deletion and insertion, and what maps point at."""

from collections.abc import Sequence

from lookalike.data import Catalog
from lookalike.errors import UsageError
from lookalike.explanation.measures import Faithfulness, faithfulness, known_parts, localise
from lookalike.explanation.saliency import METHODS, Method
from lookalike.model import Model
from lookalike.similarity import GraphSimilarity

COMPARED = ("exact", "grad_cam")
"""Methods whose maps are measured of every run; Grad-CAM is what others would take."""
OF_GRAPHS = "shared"
"""One more for a graph: its exact map splits a distance, and empty ground is highest there."""
PAIRS = 50

_METHODS = {"exact": "exact", OF_GRAPHS: "shared", "grad_cam": "Grad-CAM"}
_MEASURES = {
    "deletion": "area under the score of same-class pairs while cells of a picture are hidden, "
    "highest first; 0.5 is random, less is better",
    "insertion": "area under the score of same-class pairs while cells of a picture are shown, "
    "highest first; 0.5 is random, more is better",
    "pointing": "share of maps whose highest cell is on a known part",
}

LABELS = {f"{m}_{name}": f"{m}, {label}" for m in _MEASURES for name, label in _METHODS.items()}
"""What columns are called."""
DEFINITIONS = {f"{m}_{name}": said for m, said in _MEASURES.items() for name in _METHODS}
"""What each measure is, in one sentence."""
LOWER_IS_BETTER = frozenset(f"deletion_{name}" for name in _METHODS)


def explanation_measures(
    model: Model, catalog: Catalog, *, pairs: int = PAIRS, seed: int = 0
) -> dict[str, float]:
    """Measure the exact maps and Grad-CAM's on few pairs of one class, hidden cells blurred.

    With 50 pairs some 6,000 masked pictures go through the network. A measure that the model or
    the pictures cannot have is not among the results.

    Args:
        model: Of the run.
        catalog: Its test pictures.
        pairs: At most.
        seed: Of pairs and random orders.

    Returns:
        `deletion_…` and `insertion_…`, and `pointing_…` where parts are known, of each method.
    """
    names = (*COMPARED, OF_GRAPHS) if isinstance(model.similarity, GraphSimilarity) else COMPARED
    methods = [METHODS[name] for name in names]
    try:
        measured = faithfulness(model, catalog, methods, count=pairs, seed=seed)
    except UsageError:  # no class has two pictures
        return {}
    return _areas(measured) | _pointing(model, catalog, methods, pairs=pairs, seed=seed)


def _areas(measured: Sequence[Faithfulness]) -> dict[str, float]:
    """Name the areas; without a fall of the score there are none."""
    if measured[0].deletion.drop <= 0:
        return {}
    return {f"deletion_{each.method}": each.deletion.area.mean for each in measured} | {
        f"insertion_{each.method}": each.insertion.area.mean for each in measured
    }


def _pointing(
    model: Model, catalog: Catalog, methods: Sequence[Method], *, pairs: int, seed: int
) -> dict[str, float]:
    """Name the hit rates of the pointing game; where no parts are known there are none."""
    try:
        known_parts(catalog)
    except UsageError:
        return {}
    found = {}
    for method in methods:
        try:
            (where,) = localise(model, catalog, [method], count=pairs, seed=seed)
        except UsageError:  # none of its maps has a value above zero
            continue
        found[f"pointing_{method.name}"] = where.whole.peaks.mean
    return found
