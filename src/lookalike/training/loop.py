"""The training loop: epochs, steps, validation, and the state to resume from."""

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
    """Batches that depend only on the epoch."""

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch, counted from 0, whose batches come next."""
        ...

    def __iter__(self) -> Iterator[Batch]: ...

    def __len__(self) -> int: ...


@dataclass(frozen=True, slots=True)
class FitResult:
    """The result of training.

    Args:
        epochs: How many were done, with those before a run was resumed.
        best: The best validation result; None without validation.
        stopped_early: Whether it stopped because validation no longer improved.
    """

    epochs: int
    best: float | None
    stopped_early: bool


@dataclass(frozen=True, slots=True)
class Where:
    """The place of a batch: epoch and step, both counted from 1, and the steps of the epoch."""

    epoch: int
    step: int
    steps: int

    def ends_update(self, accumulate: int) -> bool:
        """Whether the optimiser steps after this batch. An epoch ends with a step."""
        return self.step % accumulate == 0 or self.step == self.steps

    def batches_in_update(self, accumulate: int) -> int:
        """Return how many batches share the update of this one; the last update may have fewer."""
        first = (self.step - 1) // accumulate * accumulate
        return min(accumulate, self.steps - first)


class Trainer:
    """A model with its objective and optimiser, on the device that accelerate chooses.

    Args:
        model: Is trained in place.
        objective: The loss, with the model's similarity.
        config: The settings.
        seed: Decides, with the number of the epoch, everything random.
        listeners: Called at steps, epochs and warnings.

    Raises:
        UsageError: Several processes were started, or the device lacks the precision.
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
            pretrained,
            model,
            objective,
            config.optimizer,
            similarity=model.get_submodule("similarity"),
        )
        # parameters that the backbone's settings freeze must stay frozen
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
        """Train to the end, or until validation no longer improves.

        Args:
            batches: The training data.
            folder: Holds the state to resume from.
            save: Writes the model: called after every epoch that is the best so far, or after
                every epoch without validation.
            validate: Measures the model; higher is better.
            resume: Continue from the folder's state if there is one.

        Raises:
            DivergedError: A loss or gradient is not finite. The last good epoch is on disk.
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
                result = validate()
                values["validation_recall_at_1"] = result
                better = best is None or result >= best  # of equals, the later one
                best, stale = (result, 0) if better else (best, stale + 1)
            if better:
                save()
            self._state(epoch, best, stale).save(folder)
            event = EpochEvent(epoch, self.config.epochs, values, better and validate is not None)
            for listener in self.listeners:
                listener.on_epoch(event)
        self.watch.finish()
        # accelerate wrapped the forward of the model for mixed precision: remove that
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
            # in fp16 the scaler finds and skips such steps by itself
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
            f"the run holds the state after epoch {epoch - 1}" if epoch > 1 else "nothing was saved"
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
    """Combine two seeds so that neighbours share no random stream."""
    return (seed * 1_000_003 + epoch * 7919 + 1) % 2**63


def _accelerator(config: TrainConfig) -> Any:  # noqa: ANN401
    from accelerate import Accelerator
    from accelerate.state import AcceleratorState

    # accelerate would keep the precision of the first model that this process trains
    AcceleratorState._reset_state()
    try:
        accelerator = Accelerator(mixed_precision=config.precision)
    except ValueError as error:
        raise UsageError(f"train.precision = {config.precision}: {error}") from error
    if accelerator.num_processes > 1:
        raise UsageError(
            f"training runs in one process, but {accelerator.num_processes} were started: the "
            "pairs of a batch must not be divided between them; start one"
        )
    return accelerator
