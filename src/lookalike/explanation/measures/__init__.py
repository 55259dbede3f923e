"""How good explanations of pairs are: every measure says what it is and how it is shown.

`MEASURES` is the one registry: reports, commands and comparisons go through it.
"""

from collections.abc import Mapping
from typing import Any

from lookalike.explanation.interventions.curves import Curves
from lookalike.explanation.interventions.deletion import deletion_insertion
from lookalike.explanation.interventions.masked_pairs import MaskedPairs
from lookalike.explanation.interventions.masking import Masking
from lookalike.explanation.measures.diversity import (
    DiversityMeasure,
    GroupDiversity,
    measure_diversity,
)
from lookalike.explanation.measures.faithfulness import (
    Faithfulness,
    FaithfulnessMeasure,
    measure_faithfulness,
)
from lookalike.explanation.measures.group_object_parts import (
    GroupParts,
    ObjectPartsMeasure,
    PeakParts,
    describe_groups,
    measure_groups,
    name_groups,
    peak_parts,
)
from lookalike.explanation.measures.localisation import (
    Localisation,
    LocalisationMeasure,
    PartShare,
    measure_localisation,
)
from lookalike.explanation.measures.measure import Chart, Measure, Outcome, Quantity, Study
from lookalike.explanation.measures.object_parts import KnownParts, known_parts
from lookalike.explanation.measures.pairs import PairedPictures, same_class_pairs
from lookalike.explanation.measures.stability import (
    Response,
    Stability,
    StabilityMeasure,
    measure_stability,
)
from lookalike.explanation.measures.weight_randomisation import (
    Randomisation,
    RandomisationTest,
    measure_randomisation,
    randomised,
)
from lookalike.explanation.measures.worst_pairs import WorstPair, WorstPairs, measure_worst
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
        WorstPairs(),
    )
}
"""Every measure by its key, in the order of a report."""

__all__ = [
    "MEASURES",
    "Chart",
    "Correlations",
    "Curves",
    "Faithfulness",
    "GroupDiversity",
    "GroupParts",
    "Interval",
    "KnownParts",
    "Localisation",
    "MaskedPairs",
    "Masking",
    "Measure",
    "Outcome",
    "PairedPictures",
    "PartShare",
    "PeakParts",
    "Quantity",
    "Randomisation",
    "Response",
    "Stability",
    "Study",
    "WorstPair",
    "bootstrap_interval",
    "deletion_insertion",
    "describe_groups",
    "known_parts",
    "measure_diversity",
    "measure_faithfulness",
    "measure_groups",
    "measure_localisation",
    "measure_randomisation",
    "measure_stability",
    "measure_worst",
    "name_groups",
    "peak_parts",
    "randomised",
    "same_class_pairs",
]
