"""Heads: from maps to an embedding, and back to positions. Each method has its own file."""

from typing import Annotated

from pydantic import Field

from lookalike.heads.attentive import Attentive, AttentiveHead
from lookalike.heads.branched import Branched, BranchedHead
from lookalike.heads.channel import Channel, ChannelHead
from lookalike.heads.ensemble import Ensemble, EnsembleHead
from lookalike.heads.gated import Gated, GatedHead
from lookalike.heads.grouped import TOKEN_LENGTH, GroupedHead
from lookalike.heads.levels import Levels, LevelsHead
from lookalike.heads.linear import LinearGroups, LinearGroupsHead
from lookalike.heads.multihead import MultiHead, MultiHeadHead
from lookalike.heads.pooled import Pooled, PooledHead
from lookalike.heads.single import Single, SingleHead

HeadConfig = Annotated[
    Single | LinearGroups | Gated | Channel | Attentive | Pooled | Levels | Ensemble | MultiHead,
    Field(discriminator="kind"),
]

__all__ = [
    "TOKEN_LENGTH",
    "Attentive",
    "AttentiveHead",
    "Branched",
    "BranchedHead",
    "Channel",
    "ChannelHead",
    "Ensemble",
    "EnsembleHead",
    "Gated",
    "GatedHead",
    "GroupedHead",
    "HeadConfig",
    "Levels",
    "LevelsHead",
    "LinearGroups",
    "LinearGroupsHead",
    "MultiHead",
    "MultiHeadHead",
    "Pooled",
    "PooledHead",
    "Single",
    "SingleHead",
]
