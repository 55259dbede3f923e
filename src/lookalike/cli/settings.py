"""The options `--config`, `--set` and `--json`, and the settings that they give."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

if TYPE_CHECKING:
    import lookalike.config

C = TypeVar("C", bound="lookalike.config.Config")

ConfigFile = Annotated[
    Path | None, typer.Option("--config", help="YAML file; its keys replace the defaults.")
]
Assignments = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Set one key, e.g. train.epochs=5. Repeats."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON on stdout.")]


def settle(defaults: C, config: Path | None, assignments: list[str] | None) -> C:
    """Return the defaults, changed first by a file and then by single keys.

    Raises:
        ConfigError: The file cannot be read, or a key is unknown or out of range.
    """
    from lookalike.config import merge, override, parse, read_yaml

    data = defaults.model_dump(mode="json")
    if config is not None:
        data = merge(data, read_yaml(config))
    data = override(data, assignments or [])
    source = "--set" if config is None else str(config)
    settled: C = parse(type(defaults), data, source=source)
    return settled
