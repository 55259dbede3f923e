"""The loop on a tiny network and random pictures: right where it counts, exact where it can be."""

import pytest
import torch

from lookalike.backbones import Tiny
from lookalike.errors import DivergedError
from lookalike.heads import Attentive, Ensemble
from lookalike.losses import BinomialDeviance, Diversity, Margin, ObjectiveConfig, ProxyAnchor
from lookalike.model import Model, ModelConfig
from lookalike.training import (
    AdamW,
    Constant,
    JsonLines,
    OneCycle,
    ResumeState,
    TrainConfig,
    Trainer,
)
from lookalike.training.loop import Where
from lookalike.types import Batch

CLASSES = 4


class RandomBatches:
    """Three batches an epoch, 4 classes × 3 pictures, a function of the epoch alone."""

    def __init__(
        self, *, poison: tuple[int, int] | None = None, labels: torch.Tensor | None = None
    ):
        self.epoch = 0
        self.poison = poison
        self.labels = torch.arange(12) // 3 if labels is None else labels

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __len__(self) -> int:
        return 3

    def __iter__(self):
        for step in range(3):
            generator = torch.Generator().manual_seed(10 * self.epoch + step)
            images = torch.randn(12, 3, 16, 16, generator=generator)
            images += self.labels[:, None, None, None]
            if self.poison == (self.epoch, step):
                images[0] = torch.nan
            yield Batch(images, self.labels, torch.arange(12))


class Recorder:
    def __init__(self, stop_after: int | None = None):
        self.stop_after = stop_after
        self.epochs, self.steps, self.warnings = [], [], []

    def on_start(self, epoch):
        self.started = epoch

    def on_step(self, event):
        self.steps.append(event)

    def on_epoch(self, event):
        self.epochs.append(event)
        if event.epoch == self.stop_after:
            raise KeyboardInterrupt

    def on_note(self, message):
        pass

    def on_warning(self, message):
        self.warnings.append(message)


def make(config, *, loss=None, head=None, listeners=(), seed=0, **batches):
    torch.manual_seed(seed)
    head = head or Attentive(groups=2)
    model = Model(ModelConfig(backbone=Tiny(channels=(8, 16)), head=head, dim=16))
    objective = ObjectiveConfig(loss=loss or Margin(), diversity=Diversity(weight=0.01)).build(
        model.similarity, classes=CLASSES, groups=2, dim=8
    )
    trainer = Trainer(model, objective, config, seed=seed, listeners=listeners)
    return model, trainer, RandomBatches(**batches)


def config(**changes) -> TrainConfig:
    defaults = {"epochs": 4, "optimizer": AdamW(lr=1e-3, head_lr=1e-2), "schedule": OneCycle()}
    return TrainConfig(**(defaults | changes))


def nothing() -> None:
    pass


@pytest.mark.parametrize("loss", [Margin(), BinomialDeviance(), ProxyAnchor()], ids=repr)
def test_four_epochs_are_two_and_two(tmp_path, loss):
    whole, halves = tmp_path / "whole", tmp_path / "halves"
    for folder in (whole, halves):
        folder.mkdir()
    model, trainer, batches = make(config(), loss=loss, listeners=[JsonLines(whole / "log")])
    trainer.fit(batches, folder=whole, save=nothing)

    _, first, batches = make(
        config(), loss=loss, listeners=[JsonLines(halves / "log"), Recorder(stop_after=2)]
    )
    with pytest.raises(KeyboardInterrupt):
        first.fit(batches, folder=halves, save=nothing)
    resumed, second, batches = make(
        config(), loss=loss, seed=0, listeners=[JsonLines(halves / "log")]
    )
    second.fit(batches, folder=halves, save=nothing, resume=True)

    for (name, a), (_, b) in zip(
        model.state_dict().items(), resumed.state_dict().items(), strict=True
    ):
        assert torch.equal(a, b), name
    for a, b in zip(trainer.objective.parameters(), second.objective.parameters(), strict=True):
        assert torch.equal(a, b)
    assert (whole / "log").read_text() == (halves / "log").read_text()


def test_training_moves_every_part_and_separates_the_classes(tmp_path):
    recorder = Recorder()
    model, trainer, batches = make(config(epochs=6), listeners=[recorder])
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    boundary = next(trainer.objective.loss.parameters()).detach().clone()
    trainer.fit(batches, folder=tmp_path, save=nothing)
    for name, p in model.named_parameters():
        assert not torch.equal(before[name], p), name
    assert not torch.equal(boundary, next(trainer.objective.loss.parameters()))
    batch = next(iter(batches))
    with torch.no_grad():
        scores = trainer.model.similarity.matrix(*(trainer.model(batch.images),) * 2)
    same = (batch.labels[:, None] == batch.labels) & ~torch.eye(12, dtype=torch.bool)
    assert scores[same].mean() > scores[batch.labels[:, None] != batch.labels].mean() + 0.2
    assert recorder.epochs[0].values["lr backbone"] < recorder.epochs[1].values["lr backbone"]
    assert recorder.epochs[0].values["effective_rank"] > 1
    told = {"loss", "metric", "diversity", "gradient_norm", "mean_distance"}
    assert told <= set(recorder.epochs[0].values)


def test_a_frozen_backbone_stays_and_then_thaws(tmp_path):
    model, trainer, batches = make(config(epochs=1, frozen_backbone_epochs=1))
    before = [p.detach().clone() for p in model.backbone.parameters()]
    head = model.head.queries.detach().clone()
    trainer.fit(batches, folder=tmp_path, save=nothing)
    assert all(torch.equal(a, b) for a, b in zip(before, model.backbone.parameters(), strict=True))
    assert not torch.equal(head, model.head.queries)

    model, trainer, batches = make(config(epochs=2, frozen_backbone_epochs=1))
    before = [p.detach().clone() for p in model.backbone.parameters()]
    trainer.fit(batches, folder=tmp_path, save=nothing)
    assert not any(
        torch.equal(a, b) for a, b in zip(before, model.backbone.parameters(), strict=True)
    )


def test_a_frozen_backbone_is_frozen_in_an_ensembles_trunk_and_last_stages_too(tmp_path):
    model, trainer, batches = make(
        config(epochs=1, frozen_backbone_epochs=1), head=Ensemble(groups=2, branch=-1)
    )
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    trainer.fit(batches, folder=tmp_path, save=nothing)
    moved = {name for name, p in model.named_parameters() if not torch.equal(p, before[name])}
    assert moved == {
        f"head.{layer}.{kind}" for layer in ("gates", "linear") for kind in ("weight", "bias")
    }

    model, trainer, batches = make(
        config(epochs=2, frozen_backbone_epochs=1), head=Ensemble(groups=2, branch=-1)
    )
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    trainer.fit(batches, folder=tmp_path, save=nothing)
    assert not any(torch.equal(p, before[name]) for name, p in model.named_parameters())


def test_only_better_epochs_are_saved_and_patience_ends_it(tmp_path):
    measures = iter([0.5, 0.4, 0.6, 0.6, 0.1, 0.2, 0.9])
    saved = []
    recorder = Recorder()
    _, trainer, batches = make(config(epochs=7, patience=2), listeners=[recorder])
    result = trainer.fit(
        batches,
        folder=tmp_path,
        save=lambda: saved.append(len(recorder.epochs) + 1),
        validate=lambda: next(measures),
    )
    assert saved == [1, 3, 4]
    assert (result.epochs, result.best, result.stopped_early) == (6, 0.6, True)


@pytest.mark.parametrize("poison", [(0, 1), (2, 0)])
def test_a_number_that_is_not_finite_stops_with_the_last_good_state(tmp_path, poison):
    model, trainer, batches = make(config(), poison=poison)
    with pytest.raises(DivergedError, match=f"epoch {poison[0] + 1}, step {poison[1] + 1}"):
        trainer.fit(batches, folder=tmp_path, save=nothing)
    assert all(bool(torch.isfinite(p).all()) for p in model.parameters())
    state = ResumeState.load(tmp_path)
    assert (0 if state is None else state.epoch) == poison[0]


def test_accumulated_batches_are_averaged_into_one_update(tmp_path):
    """With plain SGD, three batches accumulated move weights by the mean of their gradients."""
    from lookalike.training import SGD

    sgd = SGD(lr=0.1, momentum=0.0, weight_decay=0.0)
    settings = {"optimizer": sgd, "schedule": Constant(), "epochs": 1}
    loss = BinomialDeviance()
    model, trainer, batches = make(config(**settings, accumulate=3), loss=loss)
    start = {name: p.detach().clone() for name, p in model.named_parameters()}
    trainer.fit(batches, folder=tmp_path, save=nothing)

    again, other, batches = make(config(**settings), loss=loss)
    batches.set_epoch(0)
    again.train()
    for batch in batches:
        (other.objective(again(batch.images), batch.labels, batch.ids).value / 3).backward()
    for name, p in again.named_parameters():
        expected = start[name] - 0.1 * p.grad
        assert torch.allclose(expected, dict(model.named_parameters())[name], atol=1e-6), name


@pytest.mark.parametrize(
    ("steps", "accumulate", "ends", "shares"),
    [(5, 2, [2, 4, 5], [2, 2, 2, 2, 1]), (3, 1, [1, 2, 3], [1, 1, 1]), (2, 9, [2], [2, 2])],
)
def test_an_epoch_ends_with_an_update(steps, accumulate, ends, shares):
    where = [Where(1, step, steps) for step in range(1, steps + 1)]
    assert [w.step for w in where if w.ends_update(accumulate)] == ends
    assert [w.batches_in_update(accumulate) for w in where] == shares


def test_clipping_bounds_the_update(tmp_path):
    from lookalike.training import SGD

    settings = {"optimizer": SGD(lr=1.0, momentum=0.0, weight_decay=0.0), "schedule": Constant()}
    model, trainer, _ = make(config(**settings, epochs=1, clip_norm=0.01))
    before = torch.cat([p.detach().flatten().clone() for p in model.parameters()])

    class One(RandomBatches):
        def __len__(self):
            return 1

        def __iter__(self):
            yield next(super().__iter__())

    trainer.fit(One(), folder=tmp_path, save=nothing)
    after = torch.cat([p.detach().flatten() for p in model.parameters()])
    assert 0 < float((after - before).norm()) <= 0.01 + 1e-6


def test_bf16_trains_and_leaves_a_plain_model(tmp_path):
    model, trainer, batches = make(config(epochs=1, precision="bf16"))
    trainer.fit(batches, folder=tmp_path, save=nothing)
    out = model(next(iter(batches)).images)
    assert out.levels[0].vectors.dtype == torch.float32
    assert bool(torch.isfinite(out.flat()).all())


def test_batches_without_positives_are_counted_and_told_once(tmp_path):
    recorder = Recorder()
    lonely = torch.arange(12)
    _, trainer, batches = make(config(epochs=2), listeners=[recorder], labels=lonely % CLASSES)
    trainer.fit(batches, folder=tmp_path, save=nothing)
    assert recorder.warnings == []

    torch.manual_seed(0)
    model = Model(ModelConfig(backbone=Tiny(channels=(8, 16)), head=Attentive(groups=2), dim=16))
    objective = ObjectiveConfig(loss=BinomialDeviance()).build(
        model.similarity, classes=12, groups=2, dim=8
    )
    trainer = Trainer(model, objective, config(epochs=2), seed=0, listeners=[recorder])
    trainer.fit(RandomBatches(labels=lonely), folder=tmp_path, save=nothing)
    assert len(recorder.warnings) == 2
    assert "6 of 6 batches" in recorder.warnings[-1]


def test_collapse_is_told(tmp_path):
    recorder = Recorder()
    model, trainer, batches = make(config(epochs=1), listeners=[recorder])
    with torch.no_grad():
        model.head.value.weight.zero_()
        model.head.value.weight[0] = 1e3  # every vector points along the first axis
    trainer.config = config(epochs=1, optimizer=AdamW(lr=0.0), frozen_backbone_epochs=1)
    for group in trainer.optimizer.param_groups:
        group["peak_lr"] = 0.0
    trainer.fit(batches, folder=tmp_path, save=nothing)
    assert any("collapse" in message for message in recorder.warnings)
