"""A graph in the loop: every part learns, and links are settled once an update."""

import pytest
import torch

from lookalike.backbones import Tiny
from lookalike.heads import Levels
from lookalike.losses import LossConfig, Margin, ObjectiveConfig, ProxyAnchor
from lookalike.model import Model, ModelConfig
from lookalike.similarity import Graph
from lookalike.training import SGD, AdamW, Constant, ResumeState, TrainConfig, Trainer
from lookalike.types import Batch

LABELS = torch.arange(12) // 3
STILL = SGD(lr=0.0, momentum=0.0, weight_decay=0.0)


class RandomBatches:
    """Three batches an epoch, 4 classes × 3 pictures, a function of the epoch alone."""

    epoch = 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __len__(self) -> int:
        return 3

    def __iter__(self):
        for step in range(3):
            generator = torch.Generator().manual_seed(10 * self.epoch + step)
            images = torch.randn(12, 3, 16, 16, generator=generator)
            yield Batch(images + LABELS[:, None, None, None], LABELS, torch.arange(12))


def make(loss: LossConfig, **settings) -> tuple[Model, Trainer]:
    torch.manual_seed(0)
    model = Model(
        ModelConfig(
            backbone=Tiny(channels=(8, 16)),
            head=Levels(stages=(0, 1)),
            similarity=Graph(k=3),
            dim=10,
        )
    )
    objective = ObjectiveConfig(loss=loss, level_weights=(0.5, 1.0)).build(
        model.similarity, classes=4, groups=10, dim=1, levels=2
    )
    config = TrainConfig(**({"epochs": 2, "schedule": Constant()} | settings))
    return model, Trainer(model, objective, config, seed=0)


def nothing() -> None:
    pass


@pytest.mark.parametrize("loss", [Margin(), ProxyAnchor()], ids=lambda loss: loss.kind)
def test_every_part_learns_at_its_own_rate(tmp_path, loss):
    rates = AdamW(lr=1e-4, head_lr=1e-3, similarity_lr=1e-2, loss_lr=1e-1)
    model, trainer = make(loss, optimizer=rates)
    before = {name: p.detach().clone() for name, p in trainer.objective.named_parameters()}
    network = {name: p.detach().clone() for name, p in model.named_parameters()}
    trainer.fit(RandomBatches(), folder=tmp_path, save=nothing)
    for name, p in trainer.objective.named_parameters():
        assert not torch.equal(before[name], p), name
    for name, p in model.named_parameters():
        assert not torch.equal(network[name], p), name
    named = {group["name"]: group for group in trainer.optimizer.param_groups}
    assert {id(p) for p in named["similarity"]["params"]} == {
        id(model.similarity.alpha),
        id(model.similarity.beta),
    }
    assert [named[name]["lr"] for name in ("backbone", "head", "similarity", "loss")] == [
        1e-4,
        1e-3,
        1e-2,
        1e-1,
    ]


def links_of_batches(model: Model) -> list[torch.Tensor]:
    model.train()
    with torch.no_grad():
        return [model(batch.images).levels[1].links for batch in RandomBatches()]


@pytest.mark.parametrize("accumulate", [1, 2, 3])
def test_links_take_a_step_with_every_update(tmp_path, accumulate):
    model, trainer = make(Margin(), epochs=1, accumulate=accumulate, optimizer=STILL)
    trainer.fit(RandomBatches(), folder=tmp_path, save=nothing)
    one, two, three = links_of_batches(model)
    expected = {
        1: one / 4 + two / 4 + three / 2,
        2: (one + two) / 4 + three / 2,
        3: (one + two + three) / 3,
    }
    running = ResumeState.load(tmp_path).model["similarity.links.running"]
    torch.testing.assert_close(running[0], expected[accumulate])


def test_four_epochs_are_two_and_two(tmp_path):
    whole, halves = tmp_path / "whole", tmp_path / "halves"
    for folder in (whole, halves):
        folder.mkdir()
    settings = {"optimizer": AdamW(lr=1e-3), "accumulate": 2}
    model, trainer = make(ProxyAnchor(), epochs=4, **settings)
    trainer.fit(RandomBatches(), folder=whole, save=nothing)
    _, first = make(ProxyAnchor(), epochs=2, **settings)
    first.fit(RandomBatches(), folder=halves, save=nothing)
    resumed, second = make(ProxyAnchor(), epochs=4, **settings)
    second.fit(RandomBatches(), folder=halves, save=nothing, resume=True)
    for (name, a), (_, b) in zip(
        model.state_dict().items(), resumed.state_dict().items(), strict=True
    ):
        assert torch.equal(a, b), name


def test_bf16_trains_the_graph_too(tmp_path):
    model, trainer = make(ProxyAnchor(), epochs=1, precision="bf16", optimizer=AdamW(lr=1e-2))
    alpha = model.similarity.alpha.detach().clone()
    trainer.fit(RandomBatches(), folder=tmp_path, save=nothing)
    assert not torch.equal(alpha, model.similarity.alpha)
    assert model.similarity.links.running.dtype == torch.float32
    assert all(bool(torch.isfinite(p).all()) for p in trainer.objective.parameters())


def test_a_frozen_backbone_leaves_head_and_graph_to_learn(tmp_path):
    model, trainer = make(
        ProxyAnchor(), epochs=1, frozen_backbone_epochs=1, optimizer=AdamW(lr=1e-2)
    )
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    trainer.fit(RandomBatches(), folder=tmp_path, save=nothing)
    still = {name for name, p in model.named_parameters() if torch.equal(before[name], p)}
    assert still == {f"backbone.{name}" for name, _ in model.backbone.named_parameters()}
