"""The training loop: batches in, weights out, one epoch after the other."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor

from lookalike.errors import DivergedError, UsageError
from lookalike.losses import Objective, spread
from lookalike.model import Model
from lookalike.training.config import TrainConfig
from lookalike.training.events import EpochEvent, Listener, StepEvent
from lookalike.training.optim import parameter_groups, set_rates
from lookalike.training.state import ResumeState
from lookalike.training.watch import Watch
from lookalike.types import Batch, Embedding


@runtime_checkable
class EpochBatches(Protocol):
    """Batches that depend on the epoch and on nothing else."""

    def set_epoch(self, epoch: int) -> None:
        """Say which epoch's batches come next, counted from 0."""
        ...

    def __iter__(self) -> Iterator[Batch]: ...

    def __len__(self) -> int: ...


@dataclass(frozen=True, slots=True)
class FitResult:
    """How training ended.

    Args:
        epochs: How many were done, earlier parts of a resumed run included.
        best: The best validation measure; None without validation.
        stopped_early: Whether patience ran out.
    """

    epochs: int
    best: float | None
    stopped_early: bool


@dataclass(frozen=True, slots=True)
class Where:
    """A batch's place: epoch and step, both counted from 1, and the epoch's steps."""

    epoch: int
    step: int
    steps: int

    def ends_update(self, accumulate: int) -> bool:
        """Say whether the optimiser steps after this batch; an epoch ends with a step."""
        return self.step % accumulate == 0 or self.step == self.steps

    def batches_in_update(self, accumulate: int) -> int:
        """Return how many batches share this batch's update; the epoch's last may have fewer."""
        first = (self.step - 1) // accumulate * accumulate
        return min(accumulate, self.steps - first)


class Trainer:
    """A model, its objective and optimiser, on the device that accelerate found.

    Args:
        model: Trained in place.
        objective: The loss with the model's similarity.
        config: How to train.
        seed: Of everything random, together with the epoch's number.
        listeners: Told of steps, epochs and warnings.

    Raises:
        UsageError: It was started on several processes, or the device lacks the precision.
    """

    def __init__(
        self,
        model: Model,
        objective: Objective,
        config: TrainConfig,
        *,
        seed: int,
        listeners: Sequence[Listener] = (),
    ) -> None:
        self.accelerator = _accelerator(config)
        self.config = config
        self.seed = seed
        self.listeners = listeners
        self.watch = Watch(self._warn)
        self.model = model
        pretrained = model.pretrained_parameters()
        groups = parameter_groups(
            pretrained, model, objective, config.optimizer, similarity=model.similarity
        )
        # Which parameters the backbone's own setting leaves untrained must survive a thaw.
        self._pretrained = [p for p in pretrained if p.requires_grad]
        prepared = self.accelerator.prepare(model, objective, config.optimizer.build(groups))
        self._network, self.objective, self.optimizer = prepared

    def fit(
        self,
        batches: EpochBatches,
        *,
        folder: Path,
        save: Callable[[], None],
        validate: Callable[[], float] | None = None,
        resume: bool = False,
    ) -> FitResult:
        """Train to the end, or until patience runs out.

        Args:
            batches: The training data.
            folder: Where the state to resume from is kept.
            save: Writes the model as it is: called after the best epoch so far, or after every
                epoch where nothing is validated.
            validate: Measures the model, bigger is better.
            resume: Go on from the folder's state if there is one.

        Raises:
            DivergedError: A loss or gradient was not finite; the last good epoch is on disk.
        """
        state = ResumeState.load(folder) if resume else None
        epoch, best, stale = (0, None, 0) if state is None else self._restore(state)
        for listener in self.listeners:
            listener.on_start(epoch)
        while epoch < self.config.epochs and not self._out_of_patience(stale):
            values = self._epoch(batches, epoch)
            epoch += 1
            better = validate is None
            if validate is not None and self._validates(epoch):
                measure = validate()
                values["validation_recall_at_1"] = measure
                better = best is None or measure >= best  # of equals, the one that learnt longer
                best, stale = (measure, 0) if better else (best, stale + 1)
            if better:
                save()
            self._state(epoch, best, stale).save(folder)
            event = EpochEvent(epoch, self.config.epochs, values, better and validate is not None)
            for listener in self.listeners:
                listener.on_epoch(event)
        self.watch.finish()
        # Mixed precision wrapped the model's forward; a trained model is a plain one again.
        self.accelerator.unwrap_model(self._network, keep_fp32_wrapper=False)
        return FitResult(epoch, best, epoch < self.config.epochs)

    def _epoch(self, batches: EpochBatches, epoch: int) -> dict[str, float]:
        batches.set_epoch(epoch)
        torch.manual_seed(_mix(self.seed, epoch))  # dropout and the like
        generator = torch.Generator(self.accelerator.device).manual_seed(_mix(self.seed, epoch))
        self._thaw(epoch >= self.config.frozen_backbone_epochs)
        self.model.train()
        sums: dict[str, Tensor] = {}
        steps = len(batches)
        embedding: Embedding | None = None
        for step, batch in enumerate(batches, start=1):
            set_rates(self.optimizer, self._factor(epoch + (step - 1) / steps))
            batch = batch.to(self.accelerator.device)
            embedding, terms = self._step(batch, generator, where=Where(epoch + 1, step, steps))
            for name, value in terms.items():
                sums[name] = sums.get(name, torch.zeros(())) + value.cpu()
            event = StepEvent(epoch + 1, step, steps, float(terms["loss"]))
            for listener in self.listeners:
                listener.on_step(event)
        values = {name: float(total) / steps for name, total in sums.items()}
        return values | self._measure_spread(embedding, epoch) | self._rates()

    def _step(
        self, batch: Batch, generator: torch.Generator, *, where: "Where"
    ) -> tuple[Embedding, dict[str, Tensor]]:
        with self.accelerator.autocast():
            embedding = self._network(batch.images)
        self._require_finite(embedding.flat().detach().sum(), "embedding", where)
        result = self.objective(embedding, batch.labels, batch.ids, generator=generator)
        self._require_finite(result.value, "loss", where)
        self.watch.step(
            anchors=len(batch), without_positives=float(result.terms["without_positives"])
        )
        self.accelerator.backward(result.value / where.batches_in_update(self.config.accumulate))
        terms = {"loss": result.value.detach(), **result.terms}
        if where.ends_update(self.config.accumulate):
            norm = self._clip()
            # fp16's scaler finds and skips such steps by itself, and must be let to.
            if self.config.precision != "fp16":
                self._require_finite(norm, "gradient", where)
            terms["gradient_norm"] = norm
            self.optimizer.step()
            self.optimizer.zero_grad()
            self.model.similarity.settle()
        return embedding.detach(), terms

    def _clip(self) -> Tensor:
        limit = self.config.clip_norm or math.inf
        parameters = [p for group in self.optimizer.param_groups for p in group["params"]]
        norm: Tensor = self.accelerator.clip_grad_norm_(parameters, limit)
        return norm.detach()

    def _require_finite(self, value: Tensor, what: str, where: "Where") -> None:
        if bool(torch.isfinite(value)):
            return
        epoch = where.epoch
        rate = self.optimizer.param_groups[0]["lr"]
        kept = (
            f"the run holds the state after epoch {epoch - 1}" if epoch > 1 else "nothing is kept"
        )
        raise DivergedError(
            f"the {what} is {float(value)} in epoch {epoch}, step {where.step}, at learning rate "
            f"{rate:.2g}; {kept}. Lower the learning rate, set train.clip_norm, or use "
            "train.precision=no"
        )

    def _thaw(self, trained: bool) -> None:
        for parameter in self._pretrained:
            parameter.requires_grad_(trained)

    def _factor(self, epoch: float) -> float:
        return self.config.schedule.factor(epoch, self.config.epochs)

    def _validates(self, epoch: int) -> bool:
        return epoch % self.config.validate_every == 0 or epoch == self.config.epochs

    def _out_of_patience(self, stale: int) -> bool:
        return self.config.patience is not None and stale >= self.config.patience

    def _measure_spread(self, embedding: Embedding | None, epoch: int) -> dict[str, float]:
        if embedding is None:
            return {}
        measured = spread(embedding)
        self.watch.spread(measured, epoch=epoch + 1)
        return {
            "mean_distance": measured.mean_distance,
            "effective_rank": measured.effective_rank,
        }

    def _rates(self) -> dict[str, float]:
        return {f"lr {group['name']}": group["lr"] for group in self.optimizer.param_groups}

    def _warn(self, message: str) -> None:
        for listener in self.listeners:
            listener.on_warning(message)

    def _state(self, epoch: int, best: float | None, stale: int) -> ResumeState:
        scaler = self.accelerator.scaler
        return ResumeState(
            epoch=epoch,
            best=best,
            stale=stale,
            model=self.model.state_dict(),
            objective=self.accelerator.unwrap_model(self.objective).state_dict(),
            optimizer=self.optimizer.state_dict(),
            scaler={} if scaler is None else scaler.state_dict(),
        )

    def _restore(self, state: ResumeState) -> tuple[int, float | None, int]:
        self.model.load_state_dict(state.model)
        self.accelerator.unwrap_model(self.objective).load_state_dict(state.objective)
        self.optimizer.load_state_dict(state.optimizer)
        if state.scaler and self.accelerator.scaler is not None:
            self.accelerator.scaler.load_state_dict(state.scaler)
        return state.epoch, state.best, state.stale


def _mix(seed: int, epoch: int) -> int:
    """Make one seed of two, such that neighbours share no stream."""
    return (seed * 1_000_003 + epoch * 7919 + 1) % 2**63


def _accelerator(config: TrainConfig) -> Any:  # noqa: ANN401
    from accelerate import Accelerator
    from accelerate.state import AcceleratorState

    # One process may train several models; accelerate would hold on to the first one's precision.
    AcceleratorState._reset_state()
    try:
        accelerator = Accelerator(mixed_precision=config.precision)
    except ValueError as error:
        raise UsageError(f"train.precision = {config.precision}: {error}") from error
    if accelerator.num_processes > 1:
        raise UsageError(
            f"training runs in one process, but {accelerator.num_processes} were started: the "
            "pairs of a batch must not be cut up between them; start one"
        )
    return accelerator
