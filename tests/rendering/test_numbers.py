"""Numbers as text: one minus sign everywhere, and digits that fit."""

import pytest

from lookalike.rendering.numbers import (
    counted,
    number,
    percent,
    score,
    signed,
    significant,
    tiny,
)


@pytest.mark.parametrize(
    ("write", "value", "text"),
    [
        (signed, -0.0314, "−0.031"),
        (signed, 0.0, "+0.000"),
        (number, -2.5, "−2.500"),
        (number, float("nan"), "–"),
        (significant, -0.08947, "−0.0895"),
        (significant, 0.0, "0"),
        (significant, 999.6, "1000"),
        (percent, -0.25, "−25 %"),
        (score, -0.00001, "0.000"),
        (tiny, -3.2e-8, "−3e−08"),
    ],
)
def test_a_number_as_text(write, value, text):
    assert write(value) == text


def test_counts():
    assert [counted(count, "run") for count in (0, 1, 2)] == ["0 runs", "1 run", "2 runs"]
