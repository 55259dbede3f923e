"""Explanations: the score that was shown, taken apart exactly, and ways to look at the parts."""

from lookalike.explanation.account import Contribution, Explanation, Pictured
from lookalike.explanation.attribution import Attribution
from lookalike.explanation.embedder import explain_embedder
from lookalike.explanation.gallery import Peak, strongest
from lookalike.explanation.graph_nodes import Nodes
from lookalike.explanation.graph_report import GraphReport, explain_graph
from lookalike.explanation.group_report import GroupReport, RunView, Viewing
from lookalike.explanation.looking import look_at_groups, sample_subjects, view_runs
from lookalike.explanation.map_kinds import MapKind, group_maps, map_kind
from lookalike.explanation.overlay import data_uri, overlay
from lookalike.explanation.pair import explain, explain_pairs
from lookalike.explanation.regions import Region
from lookalike.explanation.saving import FORMATS
from lookalike.explanation.shift import Shift, shift_object
from lookalike.explanation.subject import Subject

__all__ = [
    "FORMATS",
    "Attribution",
    "Contribution",
    "Explanation",
    "GraphReport",
    "GroupReport",
    "MapKind",
    "Nodes",
    "Peak",
    "Pictured",
    "Region",
    "RunView",
    "Shift",
    "Subject",
    "Viewing",
    "data_uri",
    "explain",
    "explain_embedder",
    "explain_graph",
    "explain_pairs",
    "group_maps",
    "look_at_groups",
    "map_kind",
    "overlay",
    "sample_subjects",
    "shift_object",
    "strongest",
    "view_runs",
]
