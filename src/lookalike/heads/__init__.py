"""Heads: from maps to an embedding, and back to positions. One file a method."""

from typing import Annotated

from pydantic import Field

from lookalike.heads.attentive import Attentive, AttentiveHead
from lookalike.heads.grouped import GroupedHead
from lookalike.heads.pooled import Pooled, PooledHead
from lookalike.heads.single import Single, SingleHead

HeadConfig = Annotated[Single | Attentive | Pooled, Field(discriminator="kind")]

__all__ = [
    "Attentive",
    "AttentiveHead",
    "GroupedHead",
    "HeadConfig",
    "Pooled",
    "PooledHead",
    "Single",
    "SingleHead",
]
