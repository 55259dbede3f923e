import numpy as np
import pytest
import torch
from PIL import Image

from lookalike.backbones import Tiny
from lookalike.data import to_inputs
from lookalike.explanation.groups.maps import group_maps, map_kind
from lookalike.heads import (
    Attentive,
    Channel,
    Ensemble,
    Gated,
    LinearGroups,
    MultiHead,
    Pooled,
    Single,
)
from lookalike.model import create_model

HEADS = [
    (Attentive(groups=2), "attention"),
    (Gated(groups=2), "strongest channel"),
    (Channel(groups=2), "strongest channel"),
    (LinearGroups(groups=2), "token length"),
    (Single(), "token length"),
    (Pooled(), "token length"),
    (Ensemble(groups=2, branch=-1), "mask"),
    (MultiHead(groups=2, branch=-1), "token length"),
]


def random_model(head):
    torch.manual_seed(0)
    return create_model(Tiny(channels=(8, 16)), head=head, dim=16)


@pytest.mark.parametrize(("head", "kind"), HEADS, ids=lambda value: getattr(value, "kind", ""))
def test_every_head_has_maps_that_are_shares(head, kind):
    model = random_model(head).train()
    assert map_kind(model).name == kind
    images = torch.randn(3, 3, 64, 64, generator=torch.Generator().manual_seed(1))
    maps, said = group_maps(model, images)
    assert said.name == kind
    side = 32 if kind == "mask" else 16  # masks are of the map before the branch
    assert maps.shape == (3, model.head.groups, side, side)
    assert (maps >= 0).all()
    assert maps.sum(dim=(2, 3)) == pytest.approx(torch.ones(3, model.head.groups), abs=1e-5)
    assert (maps.amax(dim=(2, 3)) > 1.01 / side**2).all()  # none of them is flat
    assert model.training


def test_attention_is_shown_as_the_head_gives_it(watcher, album):
    picture = Image.open(album.path(2))  # dark at (2, 3) and (2, 4)
    maps, _ = group_maps(watcher, to_inputs([picture], watcher.preprocessing))
    dark = np.zeros((8, 8))
    dark[2, 3:5] = 1
    assert maps[0, 0].numpy() == pytest.approx(dark / 2)
    assert maps[0, 1].numpy() == pytest.approx(np.full((8, 8), 1 / 64))
    assert maps[0, 2].numpy() == pytest.approx((1 - dark) / 62)


def test_token_lengths_say_where_a_pooled_vector_comes_from(watcher):
    watcher.head = Single().build((1,), 1)
    torch.nn.init.ones_(watcher.head.linear.weight)
    pixels = torch.ones(2, 3, 40, 40)
    pixels[0, :, :5, :5] = 0.25  # darkness 0.75 in one cell, 0.25 in another
    pixels[0, :, 5:10, :5] = 0.75
    maps, kind = group_maps(watcher, pixels)
    assert kind.name == "token length"
    assert maps[0, 0, :2, 0].tolist() == pytest.approx([0.75, 0.25], abs=1e-5)
    assert maps[0].sum() == pytest.approx(1, abs=1e-5)
    assert maps[1, 0].flatten().tolist() == pytest.approx([1 / 64] * 64)  # nothing anywhere


def test_groups_can_be_chosen_in_any_order(watcher):
    pixels = torch.rand(1, 3, 40, 40, generator=torch.Generator().manual_seed(0))
    every, _ = group_maps(watcher, pixels)
    some, _ = group_maps(watcher, pixels, groups=[2, 0])
    assert torch.equal(some, every[:, [2, 0]])
