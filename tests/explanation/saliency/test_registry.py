"""The registry of saliency methods: what every method says of itself, and how they are chosen."""

import typing

import pytest

from lookalike.errors import UsageError
from lookalike.explanation.saliency import (
    METHODS,
    Grid,
    Method,
    Saliency,
    choose_methods,
    default_methods,
)


@pytest.mark.parametrize("name", METHODS)
def test_a_method_says_what_it_is(name):
    method = METHODS[name]
    assert isinstance(method, Method)
    assert method.name == name
    assert method.label
    assert method.grid in typing.get_args(Grid)
    assert method.has_weights == (name != "random")


def test_the_usual_methods(plain, graph_of):
    usual = ("exact", "grad_cam", "input_gradient", "random")
    assert default_methods(plain) == usual
    assert default_methods(graph_of(-2, -1)) == ("exact", "shared", *usual[1:])


def test_methods_are_chosen_by_name_or_given():
    class Own:
        name = label = "own"
        grid, has_weights = "pixels", True

        def __call__(self, model, a, b):
            return Saliency.of(a.mean(dim=1), b.mean(dim=1))

    own = Own()
    assert choose_methods(["random", own]) == (METHODS["random"], own)


@pytest.mark.parametrize(
    ("methods", "words"),
    [
        (["exakt"], "there is no method 'exakt'; there are exact, "),
        ([], "there is no method to measure; there are exact"),
        (["exact", "exact"], "'exact' is asked for twice"),
    ],
)
def test_methods_that_cannot_be_measured(methods, words):
    with pytest.raises(UsageError, match=words):
        choose_methods(methods)
