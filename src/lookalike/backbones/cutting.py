"""Cut a backbone in two at a stage: what all learners of an ensemble share, and the rest."""

import copy
from collections.abc import Iterator
from typing import Any

from torch import nn

from lookalike.backbones.stage_sequence import StageSequence
from lookalike.backbones.timm_network import StagedNetwork
from lookalike.backbones.vit import ViTBackbone
from lookalike.errors import ConfigError

Network = StageSequence | StagedNetwork | ViTBackbone
"""The networks that the configs of backbones build."""


def cut(backbone: Network, stage: int | str) -> tuple[StageSequence, StageSequence]:
    """Cut a backbone before a stage. The two parts hold its own modules, not copies.

    Run one after the other, the parts give the maps of the backbone. Frozen stages and frozen
    batch norm stay frozen.

    Args:
        backbone: A sequence of stages, or a network of timm that is one.
        stage: The first stage of the second part, by number or name; a negative number counts from
            the last.

    Raises:
        ConfigError: The stage does not exist or is the first, or the network is not a sequence.

    >>> from lookalike.backbones import Tiny
    >>> lower, upper = cut(Tiny().build(), -1)
    >>> lower.names, upper.names, upper.strides
    (('stage1', 'stage2'), ('stage3',), (8,))
    """
    if isinstance(backbone, ViTBackbone):
        raise _not_a_sequence(backbone)
    names = backbone.names
    at = _find(stage, names)
    stages = _stages(backbone)
    lower, upper = (
        StageSequence(
            {name: stages[name] for name in names[part]},
            channels=backbone.channels[part],
            strides=backbone.strides[part],
            preprocessing=backbone.preprocessing,
            freeze_batch_norm=backbone.freeze_batch_norm,
        )
        for part in (slice(0, at), slice(at, None))
    )
    return lower, upper


def _find(stage: int | str, names: tuple[str, ...]) -> int:
    """Return the number of a stage that is not the first."""
    found = names.index(stage) if stage in names else stage
    if isinstance(found, int) and -len(names) < found < 0:
        found += len(names)
    if isinstance(found, int) and 0 < found < len(names):
        return found
    raise ConfigError(
        f"the backbone cannot be cut before stage {stage} (head.branch): its stages are "
        f"{', '.join(names)}; name any but the first, or give its number"
    )


def _not_a_sequence(network: nn.Module) -> ConfigError:
    return ConfigError(
        f"a backbone of the kind {type(network).__name__} cannot be cut in two, as head.branch "
        "asks: take a convolutional network, e.g. googlenet, efficientnet_lite0, a ResNet, a "
        "ConvNeXt or a MobileNet"
    )


def _stages(backbone: StageSequence | StagedNetwork) -> dict[str, nn.Module]:
    """Return the stages of a backbone by name. A stage is everything between two maps."""
    if isinstance(backbone, StageSequence):
        return dict(zip(backbone.names, backbone.stages.values(), strict=True))
    stages: dict[str, nn.Module] = {}
    names = iter(backbone.names)
    stage = nn.Sequential()
    for name, module, is_last in _modules(backbone.net):
        stage.add_module(name, module)
        if is_last:
            stages[next(names)] = stage
            stage = nn.Sequential()
    return stages


def _modules(net: Any) -> Iterator[tuple[str, nn.Module, bool]]:  # noqa: ANN401
    """Yield the modules of a network of timm in order, and whether a map is taken after each.

    timm builds networks that return maps in two ways: as a flat list of modules, or, for
    EfficientNet and similar networks, as a stem and blocks.
    """
    from timm.models._features import FeatureListNet
    from timm.models.efficientnet import EfficientNetFeatures
    from timm.models.mobilenetv3 import MobileNetV3Features

    if isinstance(net, FeatureListNet) and net.output_fmt == "NCHW" and not net.concat:
        for name, module in net.items():
            yield name, module, name in net.return_layers
    elif isinstance(net, EfficientNetFeatures | MobileNetV3Features) and net.feature_hooks is None:
        stem = [(name, module) for name, module in net.named_children() if name != "blocks"]
        taken = net._stage_out_idx
        for i, (name, module) in enumerate(stem, start=1):
            yield name, module, i == len(stem) and 0 in taken
        for i, block in enumerate(net.blocks):
            yield f"blocks_{i}", block, i + 1 in taken
    else:
        raise _not_a_sequence(net)


def split_pooling(upper: StageSequence) -> tuple[nn.Sequential, StageSequence]:
    """Split off the modules without weights at the start of a sequence, usually a pooling.

    For example, inception4 of GoogLeNet begins with the pooling of inception3's map.

    Args:
        upper: The second part of a backbone.

    Returns:
        The pooling, empty if there is none, and the rest.
    """
    stages = _stages(upper)
    first = stages[upper.names[0]]
    pooling, rest = nn.Sequential(), nn.Sequential()
    for name, module in first.named_children() if isinstance(first, nn.Sequential) else ():
        has_weights = len(module.state_dict()) > 0
        (rest if has_weights or len(rest) else pooling).add_module(name, module)
    if not len(pooling):
        return pooling, upper
    sequence = StageSequence(
        stages | {upper.names[0]: rest},
        channels=upper.channels,
        strides=upper.strides,
        preprocessing=upper.preprocessing,
        freeze_batch_norm=upper.freeze_batch_norm,
    )
    return pooling, sequence


def copy_at_stride_one(stage: nn.Module, *, blocks: int | None) -> nn.Sequential:
    """Copy the first blocks of a stage so that maps keep their size in the copy.

    Convolutions get stride 1, and pooling with a stride is removed; pooling with stride 1, which
    Inception's blocks contain, stays. The copy starts with the stage's weights and is trained even
    if the stage is frozen.

    Args:
        stage: A sequence of blocks, nested or not; anything else is one block.
        blocks: How many; None is all.

    Raises:
        ConfigError: There are not that many.
    """
    found = list(_blocks(stage))
    count = len(found) if blocks is None else blocks
    if not 0 < count <= len(found):
        raise ConfigError(
            f"head.trunk = {blocks}: there are {len(found)} blocks to copy in the stage of "
            "head.branch; without head.trunk, all of them are"
        )
    copied = nn.Sequential(*copy.deepcopy(found[:count]))
    _remove_strides(copied)
    return copied.requires_grad_(True)


def _blocks(stage: nn.Module) -> Iterator[nn.Module]:
    if type(stage) is nn.Sequential:  # a subclass may have a forward of its own
        for module in stage:
            yield from _blocks(module)
    else:
        yield stage


def _remove_strides(net: nn.Module) -> None:
    for name, module in net.named_children():
        strided = getattr(module, "stride", 1) not in (1, (1, 1))
        if strided and isinstance(module, nn.Conv2d):
            setattr(net, name, _at_every_position(module))
        elif strided and not any(True for _ in module.parameters()):
            setattr(net, name, nn.Identity())
        else:
            _remove_strides(module)


def _at_every_position(conv: nn.Conv2d) -> nn.Module:
    """Set the stride to 1. A kernel that split the map into tiles gets padding, for the size."""
    # subclasses in timm pad by themselves, depending on the stride
    tiles = type(conv) is nn.Conv2d and conv.kernel_size == conv.stride
    conv.stride = (1, 1)
    if not tiles or conv.padding != (0, 0):
        return conv
    above, left = ((size - 1) // 2 for size in conv.kernel_size)
    below, right = (size // 2 for size in conv.kernel_size)
    return nn.Sequential(nn.ZeroPad2d((left, right, above, below)), conv)
