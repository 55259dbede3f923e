"""M-heads: a network of its own for each learner, against each of them run alone."""

import pytest
import torch
from torch import nn

from lookalike import checkpoint
from lookalike.backbones import EfficientNetLite0, GoogLeNet, Tiny
from lookalike.errors import ConfigError
from lookalike.heads import MultiHead
from lookalike.model import Model, create_model

TINY = Tiny(channels=(4, 6, 8))


def build(backbone=TINY, *, dim: int = 12, **options) -> Model:
    torch.manual_seed(0)
    head = MultiHead(**{"groups": 3, **options})
    return create_model(backbone, head=head, dim=dim, pretrained=False).eval()


def pictures(n: int = 3, size: int = 20) -> torch.Tensor:
    return torch.randn(n, 3, size, size + 4, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("backbone", [TINY, GoogLeNet()], ids=lambda config: config.kind)
def test_every_learner_is_the_whole_backbone_with_its_own_weights_and_layer(backbone):
    model = build(backbone).double()
    with torch.no_grad():
        for parameter in model.head.uppers.parameters():
            parameter += 0.05 * torch.randn_like(parameter) * parameter.abs().mean()
    images = pictures(2, 64).double()
    weights = model.state_dict()
    with torch.no_grad():
        vectors = model(images).levels[0].vectors
        for m in range(3):
            alone = backbone.build(pretrained=False).double().eval()
            part = f"head.uppers.{m}."
            alone.load_state_dict(
                {
                    name.removeprefix("backbone.").removeprefix(part): tensor
                    for name, tensor in weights.items()
                    if name.startswith(("backbone.", part))
                }
            )
            pooled = alone(images).stages[-1].mean((2, 3))
            layer = f"head.linears.{m}"
            vector = pooled @ weights[f"{layer}.weight"].T + weights[f"{layer}.bias"]
            expected = vector / vector.norm(dim=1, keepdim=True)
            assert torch.allclose(vectors[:, m], expected, atol=1e-9, rtol=0)
    assert float((vectors[:, 0] - vectors[:, 1]).abs().max()) > 1e-3


def test_learners_start_from_the_same_stages_and_from_layers_of_their_own():
    head = build().head
    first, *others = (upper.state_dict() for upper in head.uppers)
    for other in others:
        assert all(torch.equal(other[name], tensor) for name, tensor in first.items())
        assert not {t.data_ptr() for t in other.values()} & {t.data_ptr() for t in first.values()}
    assert not torch.equal(head.linears[0].weight, head.linears[1].weight)
    assert not any(linear.bias.any() for linear in head.linears)


def test_learners_share_the_stages_before_and_nothing_after():
    model = build()
    model(pictures()).levels[0].vectors[:, 1].sum().backward()

    def reached(module: nn.Module) -> bool:
        return all(bool(p.grad.any()) for p in module.parameters())

    assert reached(model.backbone)
    for parts in (model.head.uppers, model.head.linears):
        assert [reached(part) for part in parts] == [False, True, False]


def test_tokens_are_exact_at_each_learners_last_map():
    model = build().double()
    maps = model.features(pictures().double())
    tokens = model.head.tokens(maps)
    assert tokens.grids == ((3, 3),)
    vectors = model.head(maps).levels[0].vectors
    assert torch.allclose(tokens.levels[0].sum(2), vectors, atol=1e-12)


def test_attention_is_uniform_on_the_grid_of_the_tokens():
    model = build()
    maps = model.features(pictures())
    known = model.head.breakdown(maps)
    assert known.attention is None
    assert torch.allclose(known.weights(), torch.full((3, 3, 3, 3), 1 / 9))


def test_a_breakdown_goes_through_every_learner_once():
    model = build()
    calls = []
    for m, upper in enumerate(model.head.uppers):
        upper.register_forward_pre_hook(lambda _, __, m=m: calls.append(m))
    with torch.no_grad():
        model.head.breakdown(model.features(pictures()))
    assert calls == [0, 1, 2]


def test_there_are_no_masks_to_compare():
    assert build().train()(pictures()).levels[0].overlap is None


def test_all_learners_are_pretrained_but_their_layers():
    model = build()
    named = {id(p): name for name, p in model.named_parameters()}
    for parameter in model.pretrained_parameters():
        named.pop(id(parameter))
    assert {name.split(".")[1] for name in named.values()} == {"linears"}


@pytest.mark.parametrize("frozen", [True, False])
def test_batch_norm_and_frozen_stages_are_held_for_every_learner(frozen):
    backbone = GoogLeNet(freeze_batch_norm=frozen, frozen_stages="inception4")
    model = build(backbone, groups=2).train()
    for upper in model.head.uppers:
        norms = [m for m in upper.modules() if isinstance(m, nn.BatchNorm2d)]
        assert {norm.training for norm in norms} == {not frozen}
        trained = {name.split(".")[1] for name, p in upper.named_parameters() if p.requires_grad}
        assert trained == {"inception5"}


@pytest.mark.parametrize("backbone", [TINY, EfficientNetLite0()], ids=lambda config: config.kind)
def test_a_saved_model_is_the_same_when_it_is_loaded(tmp_path, backbone):
    model = build(backbone, branch=-1)
    checkpoint.save(model, tmp_path)
    images = pictures(2, 60)
    with torch.no_grad():
        assert torch.equal(checkpoint.load(tmp_path)(images).flat(), model(images).flat())


def test_more_learners_than_numbers_are_refused():
    with pytest.raises(ConfigError, match="dim = 2 cannot be shared by 3"):
        build(dim=2)
