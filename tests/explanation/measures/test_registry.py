"""Every measure of the registry says what a report and a comparison need to know of it."""

import pytest

from lookalike.explanation.measures import MEASURES


@pytest.mark.parametrize("key", MEASURES)
def test_a_measure_says_what_it_is(key):
    measure = MEASURES[key]
    assert measure.key == key
    assert measure.label
    assert measure.meaning.endswith(".")
    assert bool(measure.quantities) == bool(measure.heading) == bool(measure.reading)


def test_no_two_quantities_have_one_name():
    keys = [quantity.key for measure in MEASURES.values() for quantity in measure.quantities]
    assert len(set(keys)) == len(keys)
