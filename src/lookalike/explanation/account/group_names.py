"""Names of a model's groups: their file, and explanations that use them."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from pydantic import Field

from lookalike.config import Config, parse
from lookalike.errors import CheckpointError, ConfigError, LookalikeError, UsageError
from lookalike.explanation.account.explanation import Explanation
from lookalike.files import replace_text

NAMES = "names.json"
"""The file in a run folder that keeps the names of its groups."""

_Share = Annotated[float, Field(ge=0, le=1)]


@dataclass(frozen=True, slots=True)
class GroupNames:
    """What the groups of a model are called.

    Args:
        names: For each group, in order; None is a group without a name. Two may have the same.
        shares: For each group the share of pictures, in [0, 1], in which its peak is on the object
            part that it is named after. None if it was not counted.
        chances: The share that a peak in a random cell would have.

    Raises:
        UsageError: A name is empty or takes several lines, or the lengths differ.
    """

    names: tuple[str | None, ...]
    shares: tuple[float | None, ...] = ()
    chances: tuple[float | None, ...] = ()

    def __post_init__(self) -> None:
        for field in ("shares", "chances"):
            if not getattr(self, field):
                object.__setattr__(self, field, (None,) * len(self.names))
            if len(getattr(self, field)) != len(self.names):
                raise UsageError(f"{len(self.names)} names of groups need as many {field}")
        for group, name in enumerate(self.names):
            if name is not None and (not name.strip() or not name.isprintable()):
                raise UsageError(
                    f"group {group}: {name!r} is no name; write a word or two on one line, or "
                    "leave the group out"
                )

    def __len__(self) -> int:
        return len(self.names)

    def label(self, group: int, plain: str | None = None) -> str:
        """Return what a group is shown as.

        Args:
            group: Its number.
            plain: What it is called without a name; "group 0" and so on if None.

        >>> GroupNames(("head", None)).label(0), GroupNames(("head", None)).label(1)
        ('head (group 0)', 'group 1')
        """
        plain = plain or f"group {group}"
        name = self.names[group]
        return plain if name is None else f"{name} ({plain})"

    def renamed(self, given: Iterable[tuple[int, str]]) -> "GroupNames":
        """Return these names with a user's own in place of some.

        The share of a user's own name is None, because it was not counted.

        Args:
            given: Groups and their names.

        Raises:
            UsageError: There is no such group, or one is given an empty name or two of them.

        >>> GroupNames((None, "body")).renamed([(0, "head")]).names
        ('head', 'body')
        """
        return _placed([_Named(group=group, name=name) for group, name in given], onto=self)

    def save(self, folder: str | Path) -> Path:
        """Write the names into a run folder, in one step; return the file, `names.json`.

        Raises:
            LookalikeError: The file cannot be written.
        """
        return self.write(Path(folder) / NAMES)

    def write(self, path: str | Path) -> Path:
        """Write the names into any file, in one step; return it.

        Raises:
            LookalikeError: The file cannot be written.
        """
        path = Path(path)
        rows = zip(self.names, self.shares, self.chances, strict=True)
        saved = _Saved(
            groups=tuple(
                _Named(group=group, name=name, share=share, chance=chance)
                for group, (name, share, chance) in enumerate(rows)
                if name is not None
            )
        )
        try:
            replace_text(path, saved.model_dump_json(indent=1) + "\n")
        except OSError as error:
            raise LookalikeError(f"{path}: cannot be written: {error.strerror}") from None
        return path

    @staticmethod
    def load(folder: str | Path, *, groups: int) -> "GroupNames":
        """Read what `save` wrote or a user has edited; without the file no group has a name.

        Args:
            folder: A run's.
            groups: How many groups its model has.

        Raises:
            CheckpointError: The file cannot be read, or names a group that the model does not
                have, a group twice, or one by an empty name.
        """
        path = Path(folder) / NAMES
        return GroupNames.read(path, groups=groups) if path.exists() else _nameless(groups)

    @staticmethod
    def read(path: str | Path, *, groups: int) -> "GroupNames":
        """Read a file of names, wherever it lies; otherwise as `load`.

        Raises:
            CheckpointError: It is not there, or as `load`.
        """
        path = Path(path)
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            saved: _Saved = parse(_Saved, data, source=str(path))
            return _placed(saved.groups, onto=_nameless(groups))
        except OSError as error:
            raise CheckpointError(f"{path}: {error.strerror}") from None
        except ConfigError as error:
            raise CheckpointError(str(error)) from None
        except UsageError as error:
            raise CheckpointError(f"{path}: {error}") from None
        except ValueError as error:
            raise CheckpointError(f"{path}: not valid JSON ({error})") from None


def _nameless(groups: int) -> GroupNames:
    return GroupNames((None,) * groups)


def named(explanation: Explanation, names: GroupNames) -> Explanation:
    """Return an explanation whose groups have their names, in everything that it is saved as.

    The groups of a graph are the nodes of its highest level; its levels keep their names.

    Args:
        explanation: What to show.
        names: Of the groups of the model that made it.

    Raises:
        UsageError: The names are those of a model with another number of groups.
    """
    if explanation.nodes:
        nodes = len(explanation.nodes[-1])
        if len(names) != nodes:
            raise UsageError(
                f"there are names for {len(names)} groups, but the graph has {nodes} nodes a "
                "level: take the names of the model that it comes from"
            )
        return replace(explanation, node_names=names.names if any(names.names) else ())
    if len(names) != len(explanation.groups):
        raise UsageError(
            f"there are names for {len(names)} groups, but the explanation has "
            f"{len(explanation.groups)}: take the names of the model that it comes from"
        )
    return replace(
        explanation,
        groups=tuple(
            replace(part, name=names.label(group, part.name), name_holds=names.shares[group])
            for group, part in enumerate(explanation.groups)
        ),
    )


class _Named(Config):
    """A name as it stands in the file."""

    group: int
    name: str
    share: _Share | None = None
    chance: _Share | None = None


class _Saved(Config):
    """What `names.json` holds: the groups that have a name."""

    groups: tuple[_Named, ...]


def _placed(given: Sequence[_Named], *, onto: GroupNames) -> GroupNames:
    """Put names in the place of others."""
    wrong = [one.group for one in given if not 0 <= one.group < len(onto)]
    if wrong:
        raise UsageError(
            f"there is no group {wrong[0]} to name: the model has 0 to {len(onto) - 1}"
        )
    twice = [group for group, count in Counter(one.group for one in given).items() if count > 1]
    if twice:
        both = " and ".join(repr(one.name) for one in given if one.group == twice[0])
        raise UsageError(f"group {twice[0]} is named twice, {both}: give it one name")
    names, shares, chances = list(onto.names), list(onto.shares), list(onto.chances)
    for one in given:
        names[one.group], shares[one.group], chances[one.group] = one.name, one.share, one.chance
    return GroupNames(tuple(names), tuple(shares), tuple(chances))
