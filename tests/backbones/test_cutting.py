import copy

import pytest
import torch
from torch import nn

from lookalike.backbones import EfficientNetLite0, GoogLeNet, Timm, Tiny, ViT, cut
from lookalike.backbones.cutting import copy_at_stride_one, split_pooling
from lookalike.errors import ConfigError


def _random(name: str, **options) -> Timm:
    return Timm(name=name, pretrained=False, **options)


CUT = [
    (Tiny(), "stage2"),
    (GoogLeNet(pretrained=False), "inception4"),
    (GoogLeNet(pretrained=False), 1),
    (_random("resnet18"), -2),
    (_random("resnet18"), "layer1"),
    (_random("resnet50d", output_stride=16), "layer3"),
    (EfficientNetLite0(pretrained=False), -2),
    (EfficientNetLite0(pretrained=False, output_stride=16, dilate=False), "blocks.4"),
    (_random("mobilenetv3_small_100"), -2),
    (_random("mobilenetv3_small_100"), 1),  # after the stem, which makes a map of its own
    (_random("convnext_atto", stages=3), "stages.2"),
    (_random("densenet121"), -1),
]


def _states(*modules: nn.Module) -> list[torch.Tensor]:
    return [tensor for module in modules for tensor in module.state_dict().values()]


@pytest.mark.parametrize(("config", "stage"), CUT, ids=repr)
def test_the_maps_are_those_of_the_whole_backbone(config, stage):
    whole = config.build().eval()
    lower, upper = cut(copy.deepcopy(whole), stage)
    images = torch.randn(2, 3, 64, 64).contiguous(memory_format=torch.channels_last)
    with torch.no_grad():
        expected = whole(images).stages
        below = lower.eval()(images)
        above = upper.eval()(below.stages[-1])
    found = (*below.stages, *above.stages)
    assert [torch.equal(a, b) for a, b in zip(found, expected, strict=True)] == [True] * len(found)
    assert lower.names + upper.names == whole.names
    assert lower.channels + upper.channels == whole.channels
    assert below.strides + above.strides == whole.strides
    assert lower.preprocessing == whole.preprocessing


def test_the_weights_are_the_backbones_own_whichever_way_they_came():
    """Loaded before the cut, they are in both parts; a name says where."""
    published = Timm(name="resnet18", pretrained=False).build()
    other = Timm(name="resnet18", pretrained=False).build()
    other.load_state_dict(published.state_dict())
    lower, upper = cut(other, "layer3")
    found = _states(lower, upper)
    expected = _states(published)
    assert [torch.equal(a, b) for a, b in zip(found, expected, strict=True)] == [True] * len(found)
    kept = published.net.layer3[0].conv1.weight
    assert torch.equal(upper.state_dict()["stages.layer3.layer3.0.conv1.weight"], kept)


@pytest.mark.parametrize("frozen", [True, False])
def test_batch_norm_is_held_in_both_parts_as_it_was(frozen):
    for part in cut(GoogLeNet(pretrained=False, freeze_batch_norm=frozen).build(), -2):
        norms = [m for m in part.train().modules() if isinstance(m, nn.BatchNorm2d)]
        assert {norm.training for norm in norms} == {not frozen}


def test_frozen_stages_stay_frozen_and_channels_last_stays():
    parts = cut(_random("resnet18", frozen_stages="layer3").build(), "layer2")
    trained = [name for part in parts for name, p in part.named_parameters() if p.requires_grad]
    assert {name.split(".")[1] for name in trained} == {"layer4"}
    kernels = [m.weight for part in parts for m in part.modules() if isinstance(m, nn.Conv2d)]
    assert all(k.is_contiguous(memory_format=torch.channels_last) for k in kernels)


@pytest.mark.parametrize("stage", [0, -3, 3, -4, "stage1", "layer2"])
def test_a_stage_that_cannot_begin_the_second_part_is_refused(stage):
    with pytest.raises(ConfigError, match=f"before stage {stage}.*stage1, stage2, stage3"):
        cut(Tiny().build(), stage)


@pytest.mark.parametrize(
    "config",
    [
        ViT(name="test_vit", pretrained=False),
        _random("hrnet_w18_small"),
        _random("swin_tiny_patch4_window7_224"),
    ],
    ids=lambda config: config.name,
)
def test_what_is_no_sequence_is_refused_with_what_to_take(config):
    with pytest.raises(ConfigError, match=r"cannot be cut in two.*googlenet, efficientnet_lite0"):
        cut(config.build(), -1)


def test_pooling_at_the_front_is_split_off():
    upper = cut(GoogLeNet(pretrained=False).build(), "inception4")[1].eval()
    expected = list(upper.state_dict())
    pooling, rest = split_pooling(upper)
    assert [type(module) for module in pooling] == [nn.MaxPool2d]
    assert list(rest.state_dict()) == expected
    z = torch.randn(2, 480, 12, 12)
    with torch.no_grad():
        assert torch.equal(rest(pooling(z)).stages[-1], upper(z).stages[-1])
    assert split_pooling(rest)[1] is rest
    assert not len(split_pooling(rest)[0])


def _strides(net: nn.Module) -> set:
    kinds = (nn.Conv2d, nn.MaxPool2d, nn.AvgPool2d)
    return {m.stride for m in net.modules() if isinstance(m, kinds)} - {1, (1, 1)}


@pytest.mark.parametrize(
    ("config", "stage", "channels", "blocks"),
    [
        (Tiny(), -1, 32, 3),
        (GoogLeNet(pretrained=False), "inception4", 480, 5),
        (_random("resnet18"), "layer3", 128, 2),
        (_random("resnet50d"), "layer3", 512, 6),
        (_random("resnetblur50"), "layer2", 256, 4),
        (EfficientNetLite0(pretrained=False), "blocks.4", 40, 6),
        (_random("mobilenetv3_small_100"), "blocks.3", 24, 5),
        (_random("convnext_atto"), "stages.2", 80, 1),
    ],
    ids=repr,
)
def test_a_copy_at_stride_one_keeps_the_size_and_has_weights_of_its_own(
    config, stage, channels, blocks
):
    _, upper = split_pooling(cut(config.build(), stage)[1])
    first = next(iter(upper.stages.values()))
    before = {name: tensor.clone() for name, tensor in first.state_dict().items()}
    copied = copy_at_stride_one(first, blocks=None).eval()
    assert len(copied) == blocks
    assert not _strides(copied)
    with torch.no_grad():
        assert copied(torch.randn(1, channels, 9, 7)).shape[2:] == (9, 7)
    own, original = _states(copied), _states(first)
    assert [torch.equal(a, b) for a, b in zip(own, original, strict=True)] == [True] * len(own)
    assert not {t.data_ptr() for t in own} & {t.data_ptr() for t in original}
    for parameter in copied.parameters():
        nn.init.zeros_(parameter)
    assert all(torch.equal(before[name], tensor) for name, tensor in first.state_dict().items())


def test_a_copy_at_stride_one_moves_a_kernel_over_every_position_and_changes_nothing_else():
    conv = nn.Conv2d(2, 3, 3, stride=2, padding=1)
    stage = nn.Sequential(conv, nn.ReLU())
    z = torch.randn(1, 2, 8, 6)
    with torch.no_grad():
        at_all = copy_at_stride_one(stage, blocks=None)(z)
        assert torch.allclose(at_all[:, :, ::2, ::2], stage(z), atol=1e-6)
    assert conv.stride == (2, 2)


def test_kernels_that_tile_the_map_are_padded():
    tiles = nn.Conv2d(2, 3, 2, stride=2)
    z = torch.randn(1, 2, 8, 6)
    with torch.no_grad():
        at_all = copy_at_stride_one(nn.Sequential(tiles), blocks=None)(z)
        assert at_all.shape == (1, 3, 8, 6)
        assert torch.allclose(at_all[:, :, ::2, ::2], tiles(z), atol=1e-6)


def test_inceptions_own_pooling_at_stride_one_stays_in_the_copy():
    upper = cut(GoogLeNet(pretrained=False).build(), "inception4")[1]
    copied = copy_at_stride_one(split_pooling(upper)[1].stages["inception4"], blocks=None)
    pools = [m for m in copied.modules() if isinstance(m, nn.MaxPool2d)]
    assert [(m.kernel_size, m.stride, m.padding) for m in pools] == [(3, 1, 1)] * 5


def test_a_copy_is_trained_where_the_stage_is_not():
    upper = cut(_random("resnet18", frozen_stages="layer3").build(), "layer3")[1]
    first = upper.stages["layer3"]
    copied = copy_at_stride_one(first, blocks=1)
    assert {p.requires_grad for p in copied.parameters()} == {True}
    assert {p.requires_grad for p in first.parameters()} == {False}


@pytest.mark.parametrize(("blocks", "count"), [(1, 1), (3, 3), (None, 5)])
def test_the_first_blocks_can_be_copied_alone(blocks, count):
    upper = split_pooling(cut(GoogLeNet(pretrained=False).build(), "inception4")[1])[1]
    copied = copy_at_stride_one(upper.stages["inception4"], blocks=blocks)
    own = [upper.stages["inception4"].get_submodule(f"inception4{x}") for x in "abcde"[:count]]
    assert [[t.shape for t in _states(m)] for m in copied] == [
        [t.shape for t in _states(m)] for m in own
    ]


def test_blocks_nested_in_each_other_are_counted_one_by_one():
    """Two rows of three blocks each lie between the last two maps but one."""
    upper = cut(EfficientNetLite0(pretrained=False).build(), "blocks.4")[1]
    first = upper.stages["blocks_4"]
    assert [len(row) for row in first] == [3, 3]
    assert len(copy_at_stride_one(first, blocks=4)) == 4
    with pytest.raises(ConfigError, match=r"trunk = 7: there are 6 blocks"):
        copy_at_stride_one(first, blocks=7)
