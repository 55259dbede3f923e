import pytest

from lookalike.rendering.sheets import SheetBar, bar_places, strongest_bars


def test_many_bars_become_the_strongest_and_the_rest():
    bars = [SheetBar(f"group {i}", (-1) ** i * (i + 1) / 16) for i in range(12)]
    kept = strongest_bars(bars)
    assert [bar.name for bar in kept] == [*(f"group {i}" for i in range(11, 4, -1)), "5 others"]
    assert sum(bar.value for bar in kept) == pytest.approx(sum(bar.value for bar in bars))
    assert strongest_bars(bars[:8]) == tuple(bars[:8])


def test_bars_begin_at_a_common_zero():
    places = bar_places([0.5, -0.25, 0.0])
    zero = [
        place.start + (0 if value >= 0 else place.length)
        for place, value in zip(places, (0.5, -0.25, 0.0), strict=True)
    ]
    assert zero == pytest.approx([100 / 3] * 3)
    assert bar_places([0.0]) == bar_places([0.0, 0.0])[:1]
