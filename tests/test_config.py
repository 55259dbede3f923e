from typing import Annotated

import pytest
from pydantic import Field

from lookalike.backbones import Tiny
from lookalike.config import Config, merge, override, parse, read_yaml
from lookalike.errors import ConfigError
from lookalike.heads import Attentive
from lookalike.model import ModelConfig


class Outer(Config):
    model: ModelConfig
    rate: Annotated[float, Field(gt=0)] = 1.0


GOOD = Outer(model=ModelConfig(backbone=Tiny(), head=Attentive())).model_dump(mode="json")


def test_a_round_trip_changes_nothing():
    assert parse(Outer, GOOD).model_dump(mode="json") == GOOD


@pytest.mark.parametrize(
    ("assignment", "words"),
    [
        ("model.head.gruops=3", r"model\.head\.attentive\.gruops: unknown key.*groups"),
        ("modle=3", "modle: unknown key, expected one of: model, rate"),
        ("model.head.kind=atentive", r"model\.head: .*atentive"),
        ("model.head.groups=none", r"model\.head\.attentive\.groups: .*integer"),
        ("rate=-1", r"rate: .*greater than 0.*got -1"),
    ],
)
def test_errors_name_the_key(assignment, words):
    with pytest.raises(ConfigError, match=words):
        parse(Outer, override(GOOD, [assignment]))


def test_a_missing_key_is_named():
    with pytest.raises(ConfigError, match="model: this key is required"):
        parse(Outer, {})


def test_another_kind_drops_the_old_kinds_keys_whatever_the_order():
    for assignments in (
        ["model.head.bias=true", "model.head.kind=single"],
        ["model.head.kind=single", "model.head.bias=true"],
    ):
        head = parse(Outer, override(GOOD, assignments)).model.head
        assert (head.kind, head.bias) == ("single", True)
    same_kind = override(GOOD, ["model.head.kind=attentive"])
    assert same_kind == GOOD
    assert merge(GOOD, {"model": {"head": {"kind": "single"}}})["model"]["head"] == {
        "kind": "single"
    }


def test_small_numbers_are_numbers():
    assert override({}, ["a.b=1e-4", "c=[1,10]", "d=true", "e=e5"]) == {
        "a": {"b": 1e-4},
        "c": [1, 10],
        "d": True,
        "e": "e5",
    }


@pytest.mark.parametrize("assignment", ["epochs", "=3", "a..b=3", "a=[1,"])
def test_assignments_that_are_none_are_refused(assignment):
    with pytest.raises(ConfigError, match="--set"):
        override({}, [assignment])


def test_files_that_hold_no_mapping_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="cannot read"):
        read_yaml(tmp_path / "none.yaml")
    path = tmp_path / "c.yaml"
    for text, words in (("- 1", "list"), ("a: [", "not valid YAML"), ("", "NoneType")):
        path.write_text(text)
        with pytest.raises(ConfigError, match=words):
            read_yaml(path)
