"""Costs against counts by hand, and a clock that survives a stop."""

import torch

from lookalike.backbones import Tiny
from lookalike.comparison import Comparison, flops, milliseconds_per_image, parameters
from lookalike.comparison.comparison_tables import COSTS, columns
from lookalike.comparison.cost import Stopwatch
from lookalike.heads import LinearGroups
from lookalike.model import create_model
from lookalike.preprocessing import Preprocessing
from lookalike.training import Listener
from lookalike.training.events import EpochEvent


def test_cost_equals_hand_counts():
    model = create_model(
        Tiny(channels=(8, 16)),
        head=LinearGroups(groups=2),
        dim=16,
        preprocessing=Preprocessing(size=24),
    )
    convolutions = 3 * 9 * 8 + 8 * 9 * 16
    assert parameters(model) == convolutions + (8 + 8 + 8) + (16 + 16 + 16) + 16 * 16
    # 12 × 12 and 6 × 6 positions; a multiply-add is two operations
    assert flops(model) == 2 * (3 * 9 * 8 * 144 + 8 * 9 * 16 * 36 + 16 * 16)
    taken = milliseconds_per_image({"a": model, "b": model}, batch=2, rounds=2)
    assert set(taken) == {"a", "b"}
    assert min(taken.values()) > 0
    assert torch.is_grad_enabled()


def test_every_cost_is_a_number_of_a_row_and_less_is_better(make_row):
    row = make_row("a", measures={})
    assert all(row.to_dict()[key] > 0 for key in COSTS)
    shown = columns(Comparison((row,), (), 0))
    assert [metric.key for metric in shown] == list(COSTS)
    assert {metric.better for metric in shown} == {"lower"}


def test_the_seconds_of_a_run_in_parts_are_added(tmp_path, monkeypatch):
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    first = Stopwatch(tmp_path)
    assert isinstance(first, Listener)
    now[0] = 107.0
    first.on_epoch(EpochEvent(1, 3, {}, False))
    now[0] = 109.0  # stopped within an epoch, which is trained again
    second = Stopwatch(tmp_path)
    now[0] = 112.0
    assert second.seconds == 7 + 3
    second.on_epoch(EpochEvent(2, 3, {}, False))
    assert Stopwatch(tmp_path).seconds == 10
