import numpy as np
import pytest

from lookalike.errors import ImageError, UsageError
from lookalike.explanation import strongest


def found(peaks):
    return [(peak.row, round(peak.weight, 6)) for peak in peaks]


# Rows 0 to 5 have 4, 1, 2 | 3, 5 | 8 dark cells of 64, and the first group spreads over them.


@pytest.mark.parametrize(
    ("per_class", "rows"),
    [(1, [1, 3, 5]), (2, [1, 2, 3, 4, 5]), (None, [1, 2, 3, 0, 4, 5])],
)
def test_the_highest_peaks_come_first_with_a_limit_for_a_class(watcher, album, per_class, rows):
    weights = [1 / 4, 1, 1 / 2, 1 / 3, 1 / 5, 1 / 8]
    first, _, last = strongest(watcher, album, per_class=per_class, batch_size=4)
    assert found(first) == [(row, round(weights[row], 6)) for row in rows]
    # The last group spreads over the light cells: the more are dark, the higher its peak.
    darkest = {1: [5, 4, 0], 2: [5, 4, 0, 3, 2], None: [5, 4, 0, 3, 2, 1]}
    assert [peak.row for peak in last] == darkest[per_class]
    assert last[0].weight == pytest.approx(1 / 56)


def test_equal_peaks_keep_the_order_of_the_rows(watcher, album):
    _, even, _ = strongest(watcher, album, per_class=None)
    assert [peak.row for peak in even] == [0, 1, 2, 3, 4, 5]


def test_only_so_many_and_only_the_groups_asked_for(watcher, album):
    last, first = strongest(watcher, album, groups=[2, 0], count=2)
    assert [peak.row for peak in last] == [5, 4]
    assert [peak.row for peak in first] == [1, 3]


def test_a_peak_knows_its_map_and_place(watcher, album):
    best = strongest(watcher, album, count=1)[0][0]
    expected = np.zeros((8, 8))
    expected[2, 3] = 1
    assert best.map == pytest.approx(expected)
    assert best.cell == (2, 3)


def test_progress_ends_with_all(watcher, album):
    told = []
    strongest(watcher, album, batch_size=4, progress=lambda done, of: told.append((done, of)))
    assert told == [(4, 6), (6, 6)]


def test_a_broken_picture_is_named(watcher, album):
    album.path(4).write_text("no picture")
    with pytest.raises(ImageError, match=r"1\.png"):
        strongest(watcher, album)


def test_no_pictures(watcher, album):
    with pytest.raises(UsageError, match="no pictures"):
        strongest(watcher, album.subset([]))
