"""The log file and the lines on the screen, from events as the loop sends them."""

import json
import math

import pytest

from lookalike.training import EpochEvent, JsonLines, Messages, StepEvent


def epoch(number, *, best=False, **values):
    return EpochEvent(number, 3, values, best)


def records(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_the_log_has_a_line_for_each_epoch_note_and_warning(tmp_path):
    log = JsonLines(tmp_path / "log.jsonl")
    log.on_start(0)
    log.on_epoch(epoch(1, best=True, loss=0.5))
    log.on_step(StepEvent(2, 1, 9, 0.4))
    log.on_warning("it collapses")
    log.on_note("seen all classes")
    log.on_epoch(epoch(2, loss=math.nan))
    assert records(log.path) == [
        {"epoch": 1, "best": True, "loss": 0.5},
        {"epoch": 2, "warning": "it collapses"},
        {"epoch": 2, "note": "seen all classes"},
        {"epoch": 2, "best": False, "loss": None},
    ]


@pytest.mark.parametrize("done", [0, 1, 2])
def test_a_resumed_run_keeps_the_lines_of_the_epochs_that_are_done(tmp_path, done):
    """A line that was cut off when the process was killed is dropped."""
    path = tmp_path / "log.jsonl"
    path.write_text('{"epoch": 1}\n{"epoch": 2}\n{"epoch": 3}\n{"epoch": 4, "lo')
    log = JsonLines(path)
    log.on_start(done)
    log.on_epoch(epoch(done + 1))
    assert [record["epoch"] for record in records(path)] == list(range(1, done + 2))


def test_messages_are_lines_for_a_person():
    lines = []
    messages = Messages(lines.append)
    messages.on_start(0)
    messages.on_step(StepEvent(1, 1, 9, 0.4))
    messages.on_epoch(epoch(1, best=True, loss=0.5, validation_recall_at_1=0.25))
    messages.on_epoch(epoch(2, loss=0.25))
    messages.on_note("all seen")
    messages.on_warning("it collapses")
    messages.on_start(2)
    assert lines == [
        "epoch 1/3  loss 0.5000  validation R@1 0.250  (best)",
        "epoch 2/3  loss 0.2500",
        "all seen",
        "warning: it collapses",
        "continuing after epoch 2",
    ]
