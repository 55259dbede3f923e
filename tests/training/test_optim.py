import pytest
import torch
from torch import nn

from lookalike.heads import Ensemble
from lookalike.model import create_model
from lookalike.training import SGD, Adam, AdamW, Constant, CosineDecay, OneCycle, StepDecay
from lookalike.training.optim import parameter_groups, set_rates


class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))
        self.head = nn.Linear(4, 2)


def test_groups_have_their_rates_and_decay_where_it_does_not_hurt():
    model, loss = Whole(), nn.ParameterDict({"boundary": nn.Parameter(torch.ones(2, 3))})
    rates = AdamW(lr=1e-3, head_lr=1e-2, loss_lr=1e-1, weight_decay=0.5)
    groups = {
        g["name"]: g for g in parameter_groups([*model.backbone.parameters()], model, loss, rates)
    }
    shapes = {name: [tuple(p.shape) for p in g["params"]] for name, g in groups.items()}
    assert shapes == {
        "backbone": [(4, 3, 3, 3)],
        "backbone (no decay)": [(4,), (4,), (4,)],
        "head": [(2, 4)],
        "head (no decay)": [(2,)],
        "loss": [(2, 3)],
    }
    assert [g["lr"] for g in groups.values()] == [1e-3, 1e-3, 1e-2, 1e-2, 1e-1]
    assert [g["weight_decay"] for g in groups.values()] == [0.5, 0, 0.5, 0, 0]


def test_what_a_head_took_over_is_trained_as_the_backbone_is():
    model = create_model("tiny", head=Ensemble(groups=2), dim=8)
    rates = AdamW(lr=1e-3, head_lr=1e-2)
    groups = parameter_groups(model.pretrained_parameters(), model, nn.Identity(), rates)
    named = {id(p): name for name, p in model.named_parameters()}
    at = {group["lr"]: set() for group in groups}
    for group in groups:
        at[group["lr"]] |= {named.pop(id(p)).split(".")[1] for p in group["params"]}
    assert at == {1e-3: {"stages", "trunk", "upper"}, 1e-2: {"gates", "linear"}}
    assert not named


@pytest.mark.parametrize(("own", "rate"), [(None, 1e-2), (1e-4, 1e-4)])
def test_what_the_similarity_learns_has_its_own_rate_and_no_decay(own, rate):
    model, loss = Whole(), nn.ParameterDict({"boundary": nn.Parameter(torch.ones(2, 3))})
    model.similarity = nn.ParameterDict({"alpha": nn.Parameter(torch.ones(3, 5))})
    loss["similarity"] = model.similarity["alpha"]  # the objective holds it too
    rates = AdamW(lr=1e-3, head_lr=1e-2, similarity_lr=own, loss_lr=1e-1, weight_decay=0.5)
    groups = {
        g["name"]: g
        for g in parameter_groups(
            [*model.backbone.parameters()], model, loss, rates, similarity=model.similarity
        )
    }
    assert groups["similarity"]["params"] == [model.similarity["alpha"]]
    assert (groups["similarity"]["lr"], groups["similarity"]["weight_decay"]) == (rate, 0)
    assert [tuple(p.shape) for p in groups["head"]["params"]] == [(2, 4)]
    assert [tuple(p.shape) for p in groups["loss"]["params"]] == [(2, 3)]


def test_single_parameters_have_a_decay_of_their_own():
    model = Whole()
    model.queries = nn.Parameter(torch.ones(2, 2))
    rates = AdamW(weight_decay=0.5, decays={"queries": 0.25, "bias": 0.125})
    groups = {
        g["name"]: g
        for g in parameter_groups([*model.backbone.parameters()], model, nn.Identity(), rates)
    }
    decays = {name: (len(g["params"]), g["weight_decay"]) for name, g in groups.items()}
    assert decays == {
        "backbone": (1, 0.5),
        "backbone (no decay)": (1, 0),
        "backbone: bias": (2, 0.125),
        "head": (1, 0.5),
        "head: queries": (1, 0.25),
        "head: bias": (1, 0.125),
    }


def test_parameters_that_both_hold_are_optimised_once():
    model = Whole()
    objective = nn.ModuleList([model.head, nn.Linear(1, 1)])
    groups = parameter_groups([*model.backbone.parameters()], model, objective, AdamW())
    listed = [p for group in groups for p in group["params"]]
    assert len(listed) == len(set(listed)) == 8


@pytest.mark.parametrize("rates", [AdamW(lr=0.1), Adam(lr=0.1), SGD(lr=0.1)], ids=repr)
def test_each_optimiser_moves_weights_at_the_rate_that_is_set(rates):
    model = Whole()
    optimizer = rates.build(
        parameter_groups([*model.backbone.parameters()], model, nn.Identity(), rates)
    )
    for factor, moves in ((0.0, False), (1.0, True)):
        before = model.head.weight.detach().clone()
        set_rates(optimizer, factor)
        model.head(torch.ones(1, 4)).sum().backward()
        optimizer.step()
        assert torch.equal(before, model.head.weight) is not moves


@pytest.mark.parametrize(
    ("schedule", "points"),
    [
        (Constant(warmup_epochs=2), {0: 0.0, 1: 0.5, 2: 1.0, 9: 1.0}),
        (CosineDecay(warmup_epochs=0.0, floor=0.2), {0: 1.0, 5: 0.6, 10: 0.2}),
        (CosineDecay(warmup_epochs=2), {1: 0.5, 2: 1.0, 6: 0.5, 10: 0.0}),
        (StepDecay(milestones=(3, 6), gamma=0.5), {0: 1.0, 2.9: 1.0, 3: 0.5, 6: 0.25}),
        (OneCycle(peak_at=0.5, start=0.1, end=0.0), {0: 0.1, 5: 1.0, 7.5: 0.5, 10: 0.0}),
    ],
    ids=repr,
)
def test_schedules_pass_through_hand_values(schedule, points):
    for epoch, expected in points.items():
        assert schedule.factor(float(epoch), 10) == pytest.approx(expected, abs=1e-6)
