"""Backbones: from pictures to the maps of their stages."""

from typing import Annotated

from pydantic import Field

from lookalike.backbones.bundled import EfficientNetLite0
from lookalike.backbones.timm import Timm
from lookalike.backbones.tiny import Tiny

BackboneConfig = Annotated[EfficientNetLite0 | Timm | Tiny, Field(discriminator="kind")]


def backbone_named(name: str) -> EfficientNetLite0 | Timm | Tiny:
    """Return the config that a name stands for: one of ours, else a network of timm.

    >>> backbone_named("tiny")
    Tiny(kind='tiny', channels=(16, 32, 64))
    """
    if name == "efficientnet_lite0":
        return EfficientNetLite0()
    return Tiny() if name == "tiny" else Timm(name=name)


__all__ = ["BackboneConfig", "EfficientNetLite0", "Timm", "Tiny", "backbone_named"]
