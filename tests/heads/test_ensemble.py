"""The ensemble's head, against each learner's way through the network written out step by step."""

import math

import pytest
import torch
import torchvision.models
from torch import nn
from torch.nn import functional

from lookalike import checkpoint
from lookalike.backbones import EfficientNetLite0, GoogLeNet, Timm, Tiny, cut
from lookalike.backbones.stage_sequence import StageSequence
from lookalike.errors import ConfigError
from lookalike.heads import Ensemble, EnsembleHead, MultiHead
from lookalike.model import Model, create_model
from lookalike.preprocessing import Preprocessing
from lookalike.types import FeatureMaps

TINY = Tiny(channels=(4, 6, 8))


def build(backbone=TINY, *, dim: int = 12, seed: int = 0, **options) -> Model:
    """Make a model whose trunk is no longer what it was copied from."""
    torch.manual_seed(seed)
    model = create_model(backbone, head=Ensemble(**options), dim=dim, pretrained=False).double()
    with torch.no_grad():
        for parameter in model.head.parameters():
            parameter += 0.1 * torch.randn_like(parameter) * parameter.abs().mean()
            parameter += 0.1 * torch.randn_like(parameter) * (parameter.abs().sum() == 0)
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            nn.init.normal_(module.running_mean, std=0.2)
            nn.init.uniform_(module.running_var, 0.5, 1.5)
    return model.eval()


def pictures(n: int = 3, size: int = 20) -> torch.Tensor:
    return torch.randn(n, 3, size, size + 4, dtype=torch.float64)


def embedded(x, weights) -> torch.Tensor:
    """Return a learner's unit vector from its last map."""
    pooled = x.mean(3).mean(2)
    vector = pooled @ weights["head.linear.weight"].T + weights["head.linear.bias"]
    return vector / vector.square().sum(1, keepdim=True).sqrt()


def mask_of(t, weights, m: int, groups: int) -> torch.Tensor:
    """Return a learner's mask from the trunk's map."""
    kernel = weights["head.gates.weight"].chunk(groups)[m][:, :, 0, 0]
    bias = weights["head.gates.bias"].chunk(groups)[m]
    return 1 / (1 + torch.exp(-(torch.einsum("nkhw,ck->nchw", t, kernel) + bias[:, None, None])))


def tiny_learner(images, weights, m: int, groups: int) -> torch.Tensor:
    """Return learner m's vector: S is stage1, the trunk stage2 at stride 1, G the last two."""

    def stage(x, at: str, *, stride: int):
        w = {name: weights[f"{at}.{name}"] for name in ("0.weight", "0.bias", "1.weight", "1.bias")}
        x = functional.conv2d(x, w["0.weight"], w["0.bias"], stride=stride, padding=1)
        return functional.group_norm(x, 1, w["1.weight"], w["1.bias"]).clamp(min=0)

    s = stage(images, "backbone.stages.stage1", stride=2)
    masked = s * mask_of(stage(s, "head.trunk", stride=1), weights, m, groups)
    g = stage(masked, "head.upper.stages.stage2", stride=2)
    g = stage(g, "head.upper.stages.stage3", stride=2)
    return embedded(g, weights)


def theirs(weights: dict, *, trunk: bool) -> nn.Module:
    """Return torchvision's network with our weights; in 4a to 4e those of the trunk, or of G."""
    net = torchvision.models.googlenet(aux_logits=False, init_weights=False).double().eval()
    own = {}
    for name, tensor in weights.items():
        steps = name.split(".")
        if "stages" in steps and not (trunk and "inception4" in steps):
            own[".".join(steps[steps.index("stages") + 2 :])] = tensor
        elif trunk and steps[1] == "trunk":
            own[".".join([f"inception4{'abcde'[int(steps[2])]}", *steps[3:]])] = tensor
    missing, unexpected = net.load_state_dict(own, strict=False)
    assert set(missing) == {"fc.weight", "fc.bias"}
    assert not unexpected
    return net


def googlenet_learner(images, weights, m: int, groups: int) -> torch.Tensor:
    """Return learner m's vector, S being conv1 to pool3 and the trunk 4a to 4e without pooling."""
    net, own = theirs(weights, trunk=False), theirs(weights, trunk=True)
    s = net.conv3(net.conv2(net.maxpool1(net.conv1(images))))
    s = net.maxpool3(net.inception3b(net.inception3a(net.maxpool2(s))))
    t = s
    for letter in "abcde":
        t = getattr(own, f"inception4{letter}")(t)
    g = s * mask_of(t, weights, m, groups)
    for letter in "abcde":
        g = getattr(net, f"inception4{letter}")(g)
    g = net.inception5b(net.inception5a(net.maxpool4(g)))
    return embedded(g, weights)


@pytest.mark.parametrize(
    ("backbone", "learner", "size"),
    [(TINY, tiny_learner, 20), (GoogLeNet(), googlenet_learner, 64)],
    ids=["tiny", "googlenet"],
)
def test_every_learner_is_its_way_through_the_network_step_by_step(backbone, learner, size):
    model = build(backbone, groups=3)
    images = pictures(2, size)
    with torch.no_grad():
        vectors = model(images).levels[0].vectors
        weights = model.state_dict()
        for m in range(3):
            expected = learner(images, weights, m, 3)
            assert torch.allclose(vectors[:, m], expected, atol=1e-9, rtol=0)
    assert float((vectors[:, 0] - vectors[:, 1]).abs().max()) > 1e-3


@pytest.mark.parametrize("groups", [1, 4])
def test_tokens_are_exact_at_each_learners_last_map(groups):
    model = build(groups=groups)
    with torch.no_grad():
        maps = model.features(pictures())
        tokens = model.head.tokens(maps)
        assert tokens.grids == ((3, 3),)  # of 20×24 pixels at stride 8
        expected = model.head(maps).levels[0].vectors
        assert torch.allclose(tokens.levels[0].sum(2), expected, atol=1e-12)
        # One position by hand: (W g + b) / HW over the norm of the vector.
        last = model.head.learn(model.head.shared(maps))[0]
        linear = model.head.linear
        whole = last.mean((3, 4)) @ linear.weight.T + linear.bias
        there = (last[:, :, :, 1, 2] @ linear.weight.T + linear.bias) / 9
        there = there / whole.norm(dim=2, keepdim=True)
        assert torch.allclose(tokens.levels[0][:, :, 1 * 3 + 2], there, atol=1e-12)


@pytest.mark.parametrize("at_once", [1, 3, 4])
def test_fewer_learners_at_once_change_nothing(at_once):
    whole, parts = build(groups=4).train(), build(groups=4, at_once=at_once).train()
    images = pictures()
    for model in (whole, parts):
        level = model(images).levels[0]
        (level.vectors.cumsum(1).square().sum() + level.overlap.square().sum()).backward()
    a, b = whole(images).levels[0], parts(images).levels[0]
    assert torch.allclose(a.vectors, b.vectors, atol=1e-12)
    assert torch.allclose(a.overlap, b.overlap, atol=1e-12)
    for ours, other in zip(whole.parameters(), parts.parameters(), strict=True):
        assert torch.allclose(ours.grad, other.grad, atol=1e-10)


def kept(model: Model, images: torch.Tensor) -> int:
    """Count the numbers that a forward pass keeps for the backward pass."""
    kept: dict[int, int] = {}

    def note(tensor: torch.Tensor) -> torch.Tensor:
        kept[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().size()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        model(images)
    return sum(kept.values())


def test_fewer_learners_at_once_keep_less_for_the_backward_pass():
    images = pictures(8, 32)
    few, all_ = (kept(build(groups=8, at_once=count), images) for count in (2, None))
    assert few < 0.6 * all_


def calls(modules: dict[str, nn.Module]) -> dict[str, list]:
    """Note what each module is called with from now on."""
    seen: dict[str, list] = {name: [] for name in modules}
    for name, module in modules.items():
        module.register_forward_pre_hook(lambda _, args, name=name: seen[name].append(args[0]))
    return seen


@pytest.mark.parametrize(("at_once", "batches"), [(None, [24]), (3, [9, 9, 6]), (1, [3] * 8)])
def test_all_learners_share_one_pass_through_the_lower_stages_and_the_trunk(at_once, batches):
    model = build(groups=8, at_once=at_once)
    head = model.head
    seen = calls({"s": model.backbone, "pooling": head.pooling, "t": head.trunk, "g": head.upper})
    with torch.no_grad():
        model(pictures(3))
    assert [len(seen[name]) for name in ("s", "pooling", "t")] == [1, 1, 1]
    assert [len(batch) for batch in seen["g"]] == batches


def test_a_breakdown_goes_through_the_network_once():
    model = build(groups=3)
    head = model.head
    seen = calls({"pooling": head.pooling, "t": head.trunk, "g": head.upper})
    with torch.no_grad():
        head.breakdown(model.features(pictures(2)))
    assert [len(batches) for batches in seen.values()] == [1, 1, 1]


def test_learners_become_one_batch_without_a_copy_of_the_masked_maps():
    model = build(Timm(name="resnet18", stages=3), groups=3, branch=-1).float()
    seen = calls({"g": model.head.upper})
    with torch.no_grad():
        images = pictures(2, 32).float()
        model(images)
        maps = model.features(images)
        (batch,) = seen["g"]
        assert batch._is_view()
        assert batch.is_contiguous(memory_format=torch.channels_last)
        masked = maps.stages[-1][:, None] * model.head.breakdown(maps).masks
    assert torch.allclose(batch.view(2, 3, *batch.shape[1:]), masked)


def test_masks_are_sigmoids_and_attention_is_their_mean_over_channels():
    model = build(groups=3)
    maps = model.features(pictures())
    masks = model.head.breakdown(maps).masks
    assert masks.shape == (3, 3, 4, 10, 12)
    assert bool(((masks > 0) & (masks < 1)).all())
    attention = model.head.breakdown(maps).attention
    for n in range(3):
        for g in range(3):
            mean = sum(masks[n, g, c] for c in range(4)) / 4
            assert torch.allclose(attention[n, g], mean / mean.sum(), atol=1e-12)


def test_masks_end_where_the_pooling_before_the_branch_ends():
    model = build(GoogLeNet(), groups=2)
    maps = model.features(pictures(1, 64))
    assert maps.stages[-1].shape[2:] == (8, 8)
    assert model.head.breakdown(maps).masks.shape == (1, 2, 480, 4, 4)
    assert model.head.tokens(maps).grids == ((2, 2),)


def test_the_trunk_and_the_last_stages_start_from_the_backbones_weights():
    """The same seed gives the same backbone; it is in S, in G and, once more, in the trunk."""
    torch.manual_seed(5)
    model = create_model(GoogLeNet(), head=Ensemble(groups=2), dim=8, pretrained=False)
    torch.manual_seed(5)
    whole = GoogLeNet().build(pretrained=False).state_dict()
    ours = model.state_dict()
    for name, tensor in whole.items():
        stage = name.split(".")[1]
        part = "head.upper" if stage in ("inception4", "inception5") else "backbone"
        assert torch.equal(ours[f"{part}.{name}"], tensor), name
        if stage == "inception4":
            block, rest = name.split(".", 3)[2:]
            copied = f"head.trunk.{'abcde'.index(block[-1])}.{rest}"
            assert torch.equal(ours[copied], tensor), name
    assert len(list(model.head.trunk.parameters())) == 5 * 6 * 3


def test_the_trunk_is_no_part_of_what_it_was_copied_from():
    model = build(groups=2)
    maps = model.features(pictures(2))
    masks = model.head.breakdown(maps).masks
    vectors = model.head(maps).flat()
    with torch.no_grad():
        for parameter in model.head.upper.parameters():
            parameter += 1
    assert torch.equal(model.head.breakdown(maps).masks, masks)
    assert not torch.allclose(model.head(maps).flat(), vectors)


@pytest.mark.parametrize(("trunk", "width", "modules"), [(None, 128, 2), (1, 128, 1)])
def test_the_trunk_has_as_many_blocks_as_it_is_told(trunk, width, modules):
    backbone = Timm(name="resnet18", pretrained=False, stages=3)
    model = create_model(backbone, head=Ensemble(branch=-1, trunk=trunk), pretrained=False)
    assert len(model.head.trunk) == modules
    assert model.head.gates.in_channels == width
    assert model.head.gates.out_channels == 8 * 64


def test_new_layers_start_as_xavier_has_it_for_a_single_learner():
    head = create_model("tiny", head=Ensemble(groups=4), dim=64).head
    # One learner's convolution has 32 inputs and 16 outputs, the linear layer 64 and 16.
    for layer, fans in ((head.gates, 32 + 16), (head.linear, 64 + 16)):
        weight = layer.weight.detach()
        limit = math.sqrt(6 / fans)
        assert 0.95 * limit < float(weight.abs().max()) <= limit
        assert float(weight.square().mean()) == pytest.approx(limit**2 / 3, rel=0.1)
    assert not head.gates.bias.any()
    assert not head.linear.bias.any()


@pytest.mark.parametrize("frozen", [True, False])
def test_batch_norm_is_held_or_not_in_all_parts(frozen):
    backbone = GoogLeNet(freeze_batch_norm=frozen)
    model = create_model(backbone, head=Ensemble(groups=2), dim=8, pretrained=False)
    for part in (model.train().backbone, model.head.upper, model.head.trunk):
        norms = [m for m in part.modules() if isinstance(m, nn.BatchNorm2d)]
        assert {norm.training for norm in norms} == {not frozen}
        before = [norm.running_mean.clone() for norm in norms]
        model(torch.randn(2, 3, 64, 64) + 1)
        stayed = [torch.equal(a, n.running_mean) for a, n in zip(before, norms, strict=True)]
        assert set(stayed) == {frozen}
    assert not any(m.training for m in model.eval().modules())


def test_frozen_stages_stay_frozen_while_their_copy_is_trained():
    backbone = GoogLeNet(frozen_stages="inception4")
    model = create_model(backbone, head=Ensemble(groups=2), dim=8, pretrained=False)
    trained = {name.rsplit(".", 4)[0] for name, p in model.named_parameters() if p.requires_grad}
    assert not any("inception4" in name or name.startswith("backbone") for name in trained)
    assert any("inception5" in name for name in trained)
    assert all(p.requires_grad for p in model.head.trunk.parameters())
    model(torch.randn(2, 3, 32, 32)).flat().sum().backward()
    assert all(p.grad is not None for p in model.head.trunk.parameters())
    assert all(p.grad is None for p in model.head.upper.stages["inception4"].parameters())


def test_what_is_pretrained_is_all_but_the_new_layers():
    model = build(groups=2)
    named = {id(p): name for name, p in model.named_parameters()}
    pretrained = [named.pop(id(p)) for p in model.pretrained_parameters()]
    assert {name.rsplit(".", 2)[0] for name in pretrained} == {
        "backbone.stages.stage1",
        "head.trunk",
        "head.upper.stages.stage2",
        "head.upper.stages.stage3",
    }
    assert set(named.values()) == {
        f"head.{layer}.{kind}" for layer in ("gates", "linear") for kind in ("weight", "bias")
    }


def test_overlap_is_the_cosines_of_the_masks_by_hand():
    model = build(groups=3).train()
    images = pictures(2)
    overlap = model(images).levels[0].overlap
    masks = model.head.breakdown(model.features(images)).masks.detach()
    for n in range(2):
        for p in range(3):
            for q in range(3):
                a, b = masks[n, p].flatten().tolist(), masks[n, q].flatten().tolist()
                dot = sum(x * y for x, y in zip(a, b, strict=True))
                cosine = dot / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))
                assert overlap[n, p, q].item() == pytest.approx(cosine, abs=1e-12)
    assert model.eval()(images).levels[0].overlap is None


def test_overlap_trains_the_masks_and_what_they_are_made_from():
    model = build(groups=3).train()
    model(pictures(2)).levels[0].overlap.sum().backward()
    for part in (model.backbone, model.head.trunk, model.head.gates):
        assert all(p.grad is not None and bool(p.grad.any()) for p in part.parameters())
    assert all(p.grad is None for p in model.head.upper.parameters())


def test_overlap_is_in_full_precision_where_the_network_is_not():
    model = build(groups=2).float().train()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        level = model(pictures(2).float()).levels[0]
    assert level.vectors.dtype == torch.bfloat16
    assert level.overlap.dtype == torch.float32
    assert torch.allclose(level.overlap.diagonal(dim1=1, dim2=2), torch.ones(2, 2), atol=1e-6)


def test_rows_keep_the_overlap_and_joins_and_files_do_not(tmp_path):
    e = build(groups=2).train()(pictures(3)).detach()
    overlap = e.levels[0].overlap
    assert torch.equal(e[[2, 0]].levels[0].overlap, overlap[[2, 0]])
    assert e.to(torch.float32).levels[0].overlap.dtype == torch.float32
    assert type(e).cat([e, e]).levels[0].overlap is None
    e.save(tmp_path / "e")
    assert type(e).load(tmp_path / "e").levels[0].overlap is None


def test_gradients_are_those_of_finite_differences():
    torch.manual_seed(0)
    lower, upper = cut(Tiny(channels=(3, 4)).build(), -1)
    head = Ensemble(groups=2).build(upper, channels=3, dim=4).double().train()
    names = [name for name, _ in head.named_parameters()]
    z = torch.rand(2, 3, 4, 4, dtype=torch.float64, requires_grad=True)

    def values(z, *parameters):
        maps = FeatureMaps((z,), lower.strides)
        state = dict(zip(names, parameters, strict=True))
        level = torch.func.functional_call(head, state, (maps,)).levels[0]
        return level.vectors, level.overlap

    assert torch.autograd.gradcheck(values, (z, *head.parameters()))


def test_one_learner_is_an_ensemble_too():
    model = build(groups=1).train()
    level = model(pictures()).levels[0]
    assert level.vectors.shape == (3, 1, 12)
    assert torch.allclose(level.overlap, torch.ones(3, 1, 1, dtype=torch.float64), atol=1e-12)


@pytest.mark.parametrize("backbone", [TINY, EfficientNetLite0(), GoogLeNet(stages="inception4")])
def test_a_saved_model_is_the_same_when_it_is_loaded(tmp_path, backbone):
    torch.manual_seed(0)
    head = Ensemble(groups=2, branch=-1, trunk=2, at_once=1)
    model = create_model(backbone, head=head, dim=8, pretrained=False).eval()
    checkpoint.save(model, tmp_path)
    loaded = checkpoint.load(tmp_path)
    assert loaded.config == model.config
    images = torch.randn(2, 3, 64, 64)
    with torch.no_grad():
        assert torch.equal(loaded(images).flat(), model(images).flat())


def conv(size: int, c_in: int, c_out: int) -> int:
    """Count a convolution without bias and its batch norm's scale and shift."""
    return size * size * c_in * c_out + 2 * c_out


def inception(c_in: int, a: int, b1: int, b2: int, c1: int, c2: int, d: int) -> int:
    """Count a block of Szegedy et al. 2015, table 1, with 3×3 kernels in its third branch."""
    return (
        conv(1, c_in, a)
        + conv(1, c_in, b1)
        + conv(3, b1, b2)
        + conv(1, c_in, c1)
        + conv(3, c1, c2)
        + conv(1, c_in, d)
    )


def count(model: Model) -> int:
    return sum(p.numel() for p in model.parameters())


def test_abe_8_needs_less_than_half_of_the_parameters_of_8_heads():
    s = conv(7, 3, 64) + conv(1, 64, 64) + conv(3, 64, 192)
    s += inception(192, 64, 96, 128, 16, 32, 32) + inception(256, 128, 128, 192, 32, 96, 64)
    inception4 = (
        inception(480, 192, 96, 208, 16, 48, 64)
        + inception(512, 160, 112, 224, 24, 64, 64)
        + inception(512, 128, 128, 256, 24, 64, 64)
        + inception(512, 112, 144, 288, 32, 64, 64)
        + inception(528, 256, 160, 320, 32, 128, 128)
    )
    inception5 = inception(832, 256, 160, 320, 32, 128, 128)
    inception5 += inception(832, 384, 192, 384, 48, 128, 128)
    g = inception4 + inception5
    expected = {
        ("ensemble", 8): s + inception4 + 8 * (832 * 480 + 480) + g + 1024 * 64 + 64,
        ("ensemble", 1): s + inception4 + 832 * 480 + 480 + g + 1024 * 512 + 512,
        ("multihead", 8): s + 8 * (g + 1024 * 64 + 64),
    }
    assert expected["ensemble", 8] < expected["multihead", 8] / 2

    kinds = {"ensemble": Ensemble, "multihead": MultiHead}
    with torch.device("meta"):
        found = {
            (kind, groups): count(
                create_model(
                    GoogLeNet(), head=kinds[kind](groups=groups), dim=512, pretrained=False
                )
            )
            for kind, groups in expected
        }
    assert found == expected


def sequence(*stages: nn.Module) -> StageSequence:
    return StageSequence(
        {f"s{i}": stage for i, stage in enumerate(stages)},
        channels=(4,) * len(stages),
        strides=(1,) * len(stages),
        preprocessing=Preprocessing(),
    )


@pytest.mark.parametrize(
    ("stage", "words"),
    [
        (nn.Sequential(nn.Conv2d(4, 4, 3)), r"6×4 positions of 8×6.*another head\.branch"),
        (nn.Sequential(nn.Conv2d(5, 4, 1)), r"do not run at stride 1 \(.*channels"),
        (nn.Sequential(nn.MaxPool2d(2)), r"trunk = None: there are 0 blocks"),
    ],
    ids=["shrinks", "fails", "empty"],
)
def test_a_stage_that_cannot_be_a_trunk_is_refused(stage, words):
    with pytest.raises(ConfigError, match=words):
        EnsembleHead(Ensemble(groups=2), sequence(stage), channels=4, dim=3)


@pytest.mark.parametrize(
    ("options", "dim", "words"),
    [
        ({"groups": 8}, 7, "dim = 7 cannot be shared by 8"),
        ({"trunk": 4}, 8, "trunk = 4: there are 3 blocks"),
        ({"branch": "stage1"}, 8, "before stage stage1"),
        ({"branch": 3}, 8, "before stage 3"),
    ],
    ids=repr,
)
def test_what_does_not_fit_is_refused(options, dim, words):
    with pytest.raises(ConfigError, match=words):
        create_model("tiny", head=Ensemble(**options), dim=dim)
