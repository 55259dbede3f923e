"""What every backbone promises, over every kind there is."""

import typing

import pytest
import torch

from lookalike.backbones import (
    BackboneConfig,
    EfficientNetLite0,
    GoogLeNet,
    Timm,
    Tiny,
    ViT,
    backbone_named,
)
from lookalike.config import parse
from lookalike.heads import Pooled
from lookalike.protocols import Backbone

BACKBONES = [
    EfficientNetLite0(pretrained=False),
    GoogLeNet(pretrained=False),
    Timm(name="resnet18", pretrained=False),
    ViT(name="test_vit", pretrained=False, blocks=(1, -1)),
    Tiny(),
]


NAMES = {
    "efficientnet_lite0": ("blocks.0", "blocks.1", "blocks.2", "blocks.4", "blocks.6"),
    "googlenet": ("conv1", "conv2", "inception3", "inception4", "inception5"),
    "timm": ("act1", "layer1", "layer2", "layer3", "layer4"),
    "vit": ("blocks.1", "blocks.5"),
    "tiny": ("stage1", "stage2", "stage3"),
}


def test_every_kind_is_here():
    union = typing.get_args(typing.get_args(BackboneConfig)[0])
    assert {type(config) for config in BACKBONES} == set(union)


@pytest.mark.parametrize("config", BACKBONES, ids=lambda config: config.kind)
def test_it_gives_what_it_states(config):
    backbone = config.build().eval()
    assert isinstance(backbone, Backbone)
    with torch.no_grad():
        maps = backbone(torch.randn(2, 3, 64, 96))
    assert backbone.names == NAMES[config.kind]
    assert len(backbone.names) == len(maps.stages)
    assert maps.strides == backbone.strides
    assert tuple(z.shape[1] for z in maps.stages) == backbone.channels
    for z, stride in zip(maps.stages, backbone.strides, strict=True):
        assert tuple(z.shape) == (2, z.shape[1], 64 // stride, 96 // stride)


@pytest.mark.parametrize("config", BACKBONES, ids=lambda config: config.kind)
def test_it_takes_what_its_weights_expect(config):
    backbone = config.build().eval()
    side = backbone.preprocessing.size
    with torch.no_grad():
        maps = backbone(torch.randn(1, 3, side, side))
    for z, stride in zip(maps.stages, backbone.strides, strict=True):
        assert z.shape[2] == z.shape[3]
        assert abs(z.shape[2] - side / stride) <= 1


@pytest.mark.parametrize("config", BACKBONES, ids=lambda config: config.kind)
def test_tokens_sum_to_the_embedding_on_its_maps(config):
    backbone = config.build().eval()
    with torch.no_grad():
        maps = backbone(torch.randn(2, 3, 64, 64))
    head = Pooled().build(backbone.channels, 0)
    summed = head.tokens(maps).embedding().flat()
    assert torch.allclose(summed, head(maps).flat(), atol=2e-6, rtol=0)


@pytest.mark.parametrize("config", BACKBONES, ids=lambda config: config.kind)
def test_its_config_survives_plain_data(config):
    assert parse(BackboneConfig, config.model_dump(mode="json")) == config


def test_every_kind_has_a_name_that_stands_for_it():
    names = {"timm": "resnet18", "vit": "test_vit"}
    for config in BACKBONES:
        named = backbone_named(names.get(config.kind, config.kind))
        assert (named.kind, named.label) == (config.kind, names.get(config.kind, config.kind))
