"""Training: a model and an objective, batches, and what is told of it on the way."""

from lookalike.training.config import TrainConfig
from lookalike.training.events import (
    EpochEvent,
    JsonLines,
    Listener,
    Messages,
    StepEvent,
    TensorBoard,
)
from lookalike.training.loop import FitResult, Trainer
from lookalike.training.optim import SGD, Adam, AdamW, Constant, CosineDecay, OneCycle, StepDecay
from lookalike.training.state import ResumeState

__all__ = [
    "SGD",
    "Adam",
    "AdamW",
    "Constant",
    "CosineDecay",
    "EpochEvent",
    "FitResult",
    "JsonLines",
    "Listener",
    "Messages",
    "OneCycle",
    "ResumeState",
    "StepDecay",
    "StepEvent",
    "TensorBoard",
    "TrainConfig",
    "Trainer",
]
