"""Configs: frozen values that refuse unknown keys and name what is wrong.

Each package has one union of configs, which differ in their `kind`; each config has `build`. This
module is what all of them share: reading YAML, `--set a.b=c`, and errors that name the key.
"""

import copy
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from lookalike.errors import ConfigError

T = TypeVar("T")
Plain = dict[str, Any]


class Config(BaseModel):
    """A frozen record that refuses keys it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


def parse(kind: type[T] | Any, data: object, *, source: str = "config") -> T:
    """Validate plain data as `kind`, a Config or a union of them.

    Raises:
        ConfigError: With one line for each bad key, its path first.
    """
    try:
        result: T = TypeAdapter(kind).validate_python(data)
    except ValidationError as error:
        lines = [_explain(kind, item) for item in error.errors()]
        raise ConfigError(f"{source}: " + "; ".join(dict.fromkeys(lines))) from None
    return result


def _explain(kind: Any, item: Any) -> str:
    tags = {"function-wrap", "function-after"}
    path = ".".join(str(step) for step in item["loc"] if step not in tags) or "(top)"
    if item["type"] == "extra_forbidden":
        known = known_keys(kind, item["loc"][:-1])
        hint = f", expected one of: {', '.join(known)}" if known else ""
        return f"{path}: unknown key{hint}"
    if item["type"] == "missing":
        return f"{path}: this key is required"
    given = repr(item["input"])
    return f"{path}: {item['msg']} (got {given if len(given) < 60 else given[:57] + '...'})"


def known_keys(kind: Any, path: tuple[Any, ...]) -> list[str]:
    """List the keys of the config at `path` inside another one; empty if there is none.

    Args:
        kind: A Config or a union of them.
        path: Keys, and for a member of a union its `kind`.
    """
    options = _configs_in(kind)
    for step in path:
        by_kind = [o for o in options if _tag(o) == step]
        if by_kind:
            options = by_kind
            continue
        fields = [o.model_fields[step] for o in options if step in o.model_fields]
        options = [c for field in fields for c in _configs_in(field.annotation)]
    return sorted({key for option in options for key in option.model_fields})


def _configs_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    inner = getattr(annotation, "__args__", ())
    return [config for part in inner for config in _configs_in(part)]


def _tag(config: type[BaseModel]) -> object:
    field = config.model_fields.get("kind")
    return None if field is None else field.default


def read_yaml(path: str | Path) -> Plain:
    """Read a YAML file that holds one mapping.

    Raises:
        ConfigError: The file is missing, is not YAML, or holds something else.
    """
    try:
        data = yaml.safe_load(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot read the configuration: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: expected keys and values, got {type(data).__name__}")
    return data


def dump_yaml(data: Plain) -> str:
    """Write plain data as YAML, keys in the order given."""
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True)


def merge(data: Plain, changes: Plain) -> Plain:
    """Return `data` with the keys of `changes` in it, mapping by mapping.

    A mapping whose `kind` changes is replaced as a whole: its other keys belong to the old kind.

    >>> merge({"head": {"kind": "attentive", "groups": 4}}, {"head": {"groups": 8}})
    {'head': {'kind': 'attentive', 'groups': 8}}
    """
    if changes.get("kind", data.get("kind")) != data.get("kind"):
        return copy.deepcopy(changes)
    merged = copy.deepcopy(data)
    for key, value in changes.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = merge(merged[key], value) if both else copy.deepcopy(value)
    return merged


def override(data: Plain, assignments: list[str]) -> Plain:
    """Return `data` with `a.b=c` assignments applied; values are read as YAML.

    When a `kind` changes, the other keys beside it are dropped, as they belong to the old kind.
    Kinds are therefore set first, in whatever order the assignments come.

    >>> override({"head": {"kind": "attentive", "groups": 4}}, ["head.kind=single"])
    {'head': {'kind': 'single'}}
    >>> override({"train": {"epochs": 9}}, ["train.epochs=2"])
    {'train': {'epochs': 2}}
    """
    changed = copy.deepcopy(data)
    split = [_split(assignment) for assignment in assignments]
    for path, value in sorted(split, key=lambda item: item[0][-1] != "kind"):
        _assign(changed, path, value)
    return changed


def _split(assignment: str) -> tuple[list[str], Any]:
    path, sign, text = assignment.partition("=")
    steps = path.strip().split(".")
    if not sign or not all(steps):
        raise ConfigError(f"--set {assignment}: write it as key.subkey=value")
    try:
        return steps, _number(yaml.safe_load(text))
    except yaml.YAMLError:
        raise ConfigError(f"--set {assignment}: the value is not valid YAML") from None


def _number(value: Any) -> Any:
    """Read 1e-4 as a number; YAML 1.1 reads it as text and wants 1.0e-4."""
    if isinstance(value, str):
        try:
            return float(value) if any(digit in value for digit in "0123456789") else value
        except ValueError:
            return value
    return value


def _assign(data: Plain, path: list[str], value: Any) -> None:
    *parents, key = path
    for step in parents:
        if not isinstance(data.get(step), dict):
            data[step] = {}
        data = data[step]
    if key == "kind" and data.get("kind") != value:
        data.clear()
    data[key] = value
