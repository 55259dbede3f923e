"""Training: the loop, optimisers and schedules, and listeners to its events."""

from lookalike.training.config import TrainConfig
from lookalike.training.events import EpochEvent, Listener, StepEvent
from lookalike.training.listeners import JsonLines, Messages
from lookalike.training.loop import FitResult, Trainer
from lookalike.training.optim import SGD, Adam, AdamW, Constant, CosineDecay, OneCycle, StepDecay
from lookalike.training.state import ResumeState
from lookalike.training.trackers import track

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
    "TrainConfig",
    "Trainer",
    "track",
]
