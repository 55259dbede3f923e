"""Backbones: networks that turn pictures into the feature maps of their stages."""

from typing import Annotated

from pydantic import Field

from lookalike.backbones.cutting import Network, cut
from lookalike.backbones.efficientnet_lite0 import EfficientNetLite0
from lookalike.backbones.googlenet import GoogLeNet
from lookalike.backbones.timm import Timm, is_plain_transformer
from lookalike.backbones.tiny import Tiny
from lookalike.backbones.vit import ViT

BackboneConfig = Annotated[
    EfficientNetLite0 | GoogLeNet | Timm | ViT | Tiny, Field(discriminator="kind")
]


def backbone_named(name: str) -> EfficientNetLite0 | GoogLeNet | Timm | ViT | Tiny:
    """Return the config of a backbone by name: one of the library's own, or a network of timm.

    >>> backbone_named("tiny")
    Tiny(kind='tiny', channels=(16, 32, 64))
    >>> backbone_named("vit_small_patch14_dinov2.lvd142m").kind
    'vit'
    """
    if name == "efficientnet_lite0":
        return EfficientNetLite0()
    if name in ("googlenet", "inception_v1"):
        return GoogLeNet()
    if name == "tiny":
        return Tiny()
    return ViT(name=name) if is_plain_transformer(name) else Timm(name=name)


__all__ = [
    "BackboneConfig",
    "EfficientNetLite0",
    "GoogLeNet",
    "Network",
    "Timm",
    "Tiny",
    "ViT",
    "backbone_named",
    "cut",
]
