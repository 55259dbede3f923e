"""How good explanations of pairs are, measured: each measure says what it is, and of how many."""

from collections.abc import Mapping
from typing import Any

from lookalike.explanation.interventions.curves import Curves
from lookalike.explanation.interventions.deletion import deletion_insertion
from lookalike.explanation.interventions.masked_pairs import MaskedPairs
from lookalike.explanation.interventions.masking import Masking
from lookalike.explanation.measures.controls import (
    Randomisation,
    RandomisationTest,
    randomisation,
    randomised,
)
from lookalike.explanation.measures.diversity import Diversity, DiversityMeasure, measure_diversity
from lookalike.explanation.measures.faithfulness import (
    Faithfulness,
    FaithfulnessMeasure,
    faithfulness,
)
from lookalike.explanation.measures.groups import (
    GroupParts,
    ObjectPartsMeasure,
    PeakParts,
    describe_groups,
    peak_parts,
)
from lookalike.explanation.measures.known_parts import KnownParts, known_parts
from lookalike.explanation.measures.localisation import (
    GroupLocalisation,
    Localisation,
    LocalisationMeasure,
    PartShare,
    localise,
    localise_groups,
)
from lookalike.explanation.measures.measure import Measure, Outcome, Quantity, Study
from lookalike.explanation.measures.naming import GroupNames, name_groups, named
from lookalike.explanation.measures.pairs import (
    different_class_pairs,
    read_pairs,
    same_class_pairs,
)
from lookalike.explanation.measures.stability import (
    Response,
    Stability,
    StabilityMeasure,
    stability,
)
from lookalike.statistics.bootstrap import Interval, bootstrap_interval
from lookalike.statistics.correlation import Correlations

MEASURES: Mapping[str, Measure[Any]] = {
    measure.key: measure
    for measure in (
        FaithfulnessMeasure(),
        RandomisationTest(),
        LocalisationMeasure(),
        StabilityMeasure(),
        ObjectPartsMeasure(),
        DiversityMeasure(),
    )
}
"""Every measure by its key, in the order of a report."""

__all__ = [
    "MEASURES",
    "Correlations",
    "Curves",
    "Diversity",
    "Faithfulness",
    "GroupLocalisation",
    "GroupNames",
    "GroupParts",
    "Interval",
    "KnownParts",
    "Localisation",
    "MaskedPairs",
    "Masking",
    "Measure",
    "Outcome",
    "PartShare",
    "PeakParts",
    "Quantity",
    "Randomisation",
    "Response",
    "Stability",
    "Study",
    "bootstrap_interval",
    "deletion_insertion",
    "describe_groups",
    "different_class_pairs",
    "faithfulness",
    "known_parts",
    "localise",
    "localise_groups",
    "measure_diversity",
    "name_groups",
    "named",
    "peak_parts",
    "randomisation",
    "randomised",
    "read_pairs",
    "same_class_pairs",
    "stability",
]
