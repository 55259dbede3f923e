"""Heads: from maps to an embedding, and back to positions. One file a method."""

from typing import Annotated

from pydantic import Field

from lookalike.heads.attentive import Attentive, AttentiveHead
from lookalike.heads.channel import Channel, ChannelHead
from lookalike.heads.gated import Gated, GatedHead
from lookalike.heads.grouped import GroupedHead
from lookalike.heads.levels import Levels, LevelsHead
from lookalike.heads.linear import LinearGroups, LinearGroupsHead
from lookalike.heads.pooled import Pooled, PooledHead
from lookalike.heads.single import Single, SingleHead

HeadConfig = Annotated[
    Single | LinearGroups | Gated | Channel | Attentive | Pooled | Levels,
    Field(discriminator="kind"),
]

__all__ = [
    "Attentive",
    "AttentiveHead",
    "Channel",
    "ChannelHead",
    "Gated",
    "GatedHead",
    "GroupedHead",
    "HeadConfig",
    "Levels",
    "LevelsHead",
    "LinearGroups",
    "LinearGroupsHead",
    "Pooled",
    "PooledHead",
    "Single",
    "SingleHead",
]
