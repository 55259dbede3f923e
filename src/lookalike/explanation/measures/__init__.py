"""How good explanations of pairs are, measured: each measure says what it is, and of how many."""

from lookalike.explanation.interventions.curves import Curves
from lookalike.explanation.interventions.deletion import deletion_insertion
from lookalike.explanation.interventions.masked_pairs import MaskedPairs
from lookalike.explanation.interventions.masking import Masking
from lookalike.explanation.measures.controls import Randomisation, randomisation, randomised
from lookalike.explanation.measures.diversity import Diversity, measure_diversity
from lookalike.explanation.measures.faithfulness import Faithfulness, faithfulness
from lookalike.explanation.measures.groups import (
    GroupParts,
    PeakParts,
    describe_groups,
    peak_parts,
)
from lookalike.explanation.measures.known_parts import KnownParts, known_parts
from lookalike.explanation.measures.localisation import (
    GroupLocalisation,
    Localisation,
    PartShare,
    localise,
    localise_groups,
)
from lookalike.explanation.measures.naming import GroupNames, name_groups, named
from lookalike.explanation.measures.pairs import (
    different_class_pairs,
    read_pairs,
    same_class_pairs,
)
from lookalike.explanation.measures.stability import Response, Stability, stability
from lookalike.statistics.bootstrap import Interval, bootstrap_interval
from lookalike.statistics.correlation import Correlations

__all__ = [
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
    "PartShare",
    "PeakParts",
    "Randomisation",
    "Response",
    "Stability",
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
