import pytest
import timm
import torch
from torch import nn

from lookalike.backbones import Timm, ViT
from lookalike.errors import ConfigError, UsageError, WeightsError

SMALL = "test_vit"  # timm's own: six blocks of 64 channels, patches of 16 pixels
DINO = "vit_small_patch14_reg4_dinov2.lvd142m"


def _random(name: str = SMALL, **options) -> ViT:
    return ViT(name=name, pretrained=False, **options)


@pytest.fixture
def images():
    return torch.randn(2, 3, 48, 80, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize(
    ("name", "prefix"),
    [
        (SMALL, 1),  # a class token
        ("deit_tiny_distilled_patch16_224", 2),  # and a distillation token
        ("vit_pwee_patch16_reg1_gap_256", 1),  # a register alone, and the norm after the pooling
        ("eva02_tiny_patch14_224", 1),  # rotary positions
    ],
)
def test_the_map_holds_the_patches_tokens_and_no_others(name, prefix):
    backbone = _random(name).build().eval()
    patch = backbone.strides[0]
    images = torch.randn(2, 3, 2 * patch, 3 * patch)
    with torch.no_grad():
        (z,) = backbone(images).stages
        tokens = backbone.net.forward_features(images)
    assert tokens.shape[1] == prefix + 6
    for row in range(2):
        for column in range(3):
            token = tokens[:, prefix + 3 * row + column]
            assert torch.allclose(z[:, :, row, column], token, atol=1e-5, rtol=0)


@pytest.mark.parametrize("name", [SMALL, DINO])
def test_without_position_embeddings_the_map_follows_the_patches(name):
    backbone = _random(name).build().eval()
    nn.init.zeros_(backbone.net.pos_embed)
    patch = backbone.strides[0]
    images = torch.randn(1, 3, 3 * patch, 4 * patch)
    here, there = (
        (..., slice(0, patch), slice(2 * patch, 3 * patch)),
        (
            ...,
            slice(2 * patch, 3 * patch),
            slice(patch, 2 * patch),
        ),
    )
    swapped = images.clone()
    swapped[here], swapped[there] = images[there], images[here]
    with torch.no_grad():
        (before,), (after,) = backbone(images).stages, backbone(swapped).stages
    expected = before.clone()
    expected[..., 0, 2], expected[..., 2, 1] = before[..., 2, 1], before[..., 0, 2]
    assert torch.allclose(after, expected, atol=1e-5, rtol=0)
    assert not torch.allclose(after, before, atol=1e-2, rtol=0)


def test_chosen_blocks_are_maps_and_only_the_last_of_all_is_normed(images):
    backbone = _random(blocks=(0, 2, -1)).build().eval()
    assert backbone.names == ("blocks.0", "blocks.2", "blocks.5")
    with torch.no_grad():
        maps = backbone(images).stages
        outputs = {}
        for i in (0, 2):
            backbone.net.blocks[i].register_forward_hook(
                lambda _, __, z, i=i: outputs.update({i: z})
            )
        backbone(images)
    for z, i in zip(maps, (0, 2), strict=False):
        assert torch.equal(z, outputs[i][:, 1:].transpose(1, 2).reshape(2, 64, 3, 5))
    ones = torch.ones(2, 3, 5)
    variances = [z.var(dim=1, unbiased=False) for z in maps]
    assert torch.allclose(variances[2], ones, atol=1e-2)
    assert not torch.allclose(variances[0], ones, atol=1e-1)


@pytest.mark.parametrize(("blocks", "built"), [((2,), 3), ((1, 4), 5), ((-1,), 6)])
def test_what_is_above_the_last_map_is_not_built_and_the_rest_is_all_used(blocks, built, images):
    backbone = _random(blocks=blocks).build()
    assert len(backbone.net.blocks) == built
    sum(z.square().sum() for z in backbone(images).stages).backward()
    assert [name for name, p in backbone.named_parameters() if p.grad is None] == []


def test_another_size_resamples_the_positions_as_timm_does():
    backbone = _random(image_size=96).build().eval()
    assert backbone.preprocessing.size == 96
    fixed = timm.create_model(SMALL).eval()
    fixed.load_state_dict(fixed.state_dict() | backbone.net.state_dict())
    fixed.set_input_size((96, 96))
    images = torch.randn(1, 3, 96, 96)
    with torch.no_grad():
        (z,) = backbone(images).stages
        tokens = fixed.forward_features(images)[:, 1:]
    assert torch.allclose(z.flatten(2).transpose(1, 2), tokens, atol=1e-5, rtol=0)


def test_sizes_that_are_no_multiple_of_the_patch_name_the_nearest():
    with pytest.raises(ConfigError, match=r"image_size = 100: .*16 pixels; take 96 or 112"):
        _random(image_size=100).build()
    with pytest.raises(UsageError, match=r"64×40 pixels .*16 pixels; take 32 or 48"):
        _random().build()(torch.zeros(1, 3, 40, 64))
    with pytest.raises(UsageError, match=r"take 16$"):
        _random().build()(torch.zeros(1, 3, 8, 8))


@pytest.mark.parametrize("frozen", [2, "blocks.1"])
def test_frozen_blocks_and_all_below_them_are_not_trained(frozen):
    backbone = _random(frozen_blocks=frozen).build()
    still = {name for name, p in backbone.net.named_parameters() if not p.requires_grad}
    outside = {name.split(".")[0] for name in still} - {"blocks"}
    assert outside == {"cls_token", "pos_embed", "patch_embed"}
    inside = {int(name.split(".")[1]) for name in still if name.startswith("blocks")}
    trained = {name for name, p in backbone.net.named_parameters() if p.requires_grad}
    assert inside == {0, 1}
    assert {int(name.split(".")[1]) for name in trained if name.startswith("blocks")} == {
        2,
        3,
        4,
        5,
    }
    assert {"norm.weight", "norm.bias"} <= trained
    assert all(p.requires_grad for p in _random().build().parameters())


@pytest.mark.parametrize("blocks", [(6,), (-7,), (2, 1), (5, -1)])
def test_blocks_that_there_are_not_are_refused(blocks):
    with pytest.raises(ConfigError, match=r"backbone.blocks = .* 6 blocks, 0 to 5"):
        _random(blocks=blocks).build()


def test_frozen_blocks_that_are_not_built_are_refused():
    with pytest.raises(ConfigError, match=r"frozen_blocks = 4: .* 0 to 3, or .* blocks.2$"):
        _random(blocks=(2,), frozen_blocks=4).build()


def test_each_kind_sends_the_others_networks_there():
    with pytest.raises(ConfigError, match=r"backbone\.kind=timm"):
        _random("resnet18").build()
    with pytest.raises(ConfigError, match=r"backbone\.kind=vit"):
        Timm(name=SMALL, pretrained=False).build()
    with pytest.raises(ConfigError, match="did you mean vit_tiny_patch16_224"):
        _random("vit_tiny_patch16_225").build()


@pytest.mark.parametrize(
    ("name", "patch", "channels", "size", "resize", "fit", "mean"),
    [
        ("vit_small_patch14_dinov2.lvd142m", 14, 384, 518, 518, "crop", 0.485),
        ("vit_base_patch16_clip_224.openai", 16, 768, 224, 249, "crop", 0.48145466),
        ("vit_so400m_patch14_siglip_384", 14, 1152, 378, 420, "crop", 0.5),
        ("eva02_base_patch14_448", 14, 768, 448, None, "stretch", 0.48145466),
    ],
)
def test_published_towers_are_prepared_as_their_weights_expect(
    name, patch, channels, size, resize, fit, mean
):
    with torch.device("meta"):  # their shapes without their weights
        backbone = _random(name).build()
    expected = backbone.preprocessing
    assert (backbone.strides, backbone.channels) == ((patch,), (channels,))
    assert (expected.size, expected.resize, expected.fit) == (size, resize, fit)
    assert expected.mean[0] == mean
    assert expected.interpolation == "bicubic"


def test_missing_vit_weights_name_the_choices(monkeypatch, tmp_path):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(WeightsError, match=r"HF_HOME.*efficientnet_lite0.*pretrained=false"):
        ViT(name="vit_tiny_patch16_224").build()
