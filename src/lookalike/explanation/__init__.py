"""Explanations: the score that was shown, taken apart exactly, and ways to look at the parts."""

from lookalike.accounts import MapMeaning
from lookalike.explanation.account.explanation import Contribution, Explanation, Pictured
from lookalike.explanation.account.group_names import GroupNames
from lookalike.explanation.account.nodes import Nodes
from lookalike.explanation.account.pair import explain_pairs
from lookalike.explanation.account.region import Region
from lookalike.explanation.approximate.any_network import explain_embedder
from lookalike.explanation.approximate.attribution import Attribution
from lookalike.explanation.approximate.captum_methods import CAPTUM_METHODS
from lookalike.explanation.explain_pair import explain
from lookalike.explanation.graph.graph_report import GraphReport, explain_graph
from lookalike.explanation.groups.group_report import GroupReport, RunView, Viewing
from lookalike.explanation.groups.look import look_at_groups, sample_subjects, view_runs
from lookalike.explanation.groups.maps import group_maps, map_kind
from lookalike.explanation.groups.peaks import Peak, strongest
from lookalike.explanation.groups.shift import Shift, shift_object
from lookalike.explanation.groups.subject import Subject
from lookalike.rendering.forms import FORMATS
from lookalike.rendering.overlays import data_uri, overlay

__all__ = [
    "CAPTUM_METHODS",
    "FORMATS",
    "Attribution",
    "Contribution",
    "Explanation",
    "GraphReport",
    "GroupNames",
    "GroupReport",
    "MapMeaning",
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
