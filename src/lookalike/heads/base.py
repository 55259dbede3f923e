"""What the configs of heads share: which similarity and stage fit a head, and how it is built."""

from abc import abstractmethod
from typing import ClassVar

from lookalike.backbones import Network
from lookalike.config import Config
from lookalike.errors import ConfigError
from lookalike.heads.grouped import GroupedHead
from lookalike.protocols import Head


class HeadBase(Config):
    """The config of a head."""

    similarity: ClassVar[str] = "cosine"
    """The `kind` of the similarity that compares what the head makes."""

    @abstractmethod
    def attach(self, backbone: Network, dim: int) -> tuple[Network, Head]:
        """Build the head on a backbone, with `dim` numbers in the embedding.

        Returns:
            The part of the backbone that stays with the model, and the head.

        Raises:
            ConfigError: The head does not fit the backbone or the number of dimensions.
        """

    @property
    @abstractmethod
    def top_stage(self) -> int | str:
        """The highest stage that the head reads: the one that an untrained baseline pools."""


class OneStage(HeadBase):
    """The config of a head that reads one of the backbone's maps."""

    kind: str
    stage: int | str = -1
    """Which of the backbone's maps to read, by number or name; negative counts from the last."""

    @abstractmethod
    def head(self, channels: int, dim: int, stage: int) -> GroupedHead:
        """Build the head on a map.

        Args:
            channels: Of the map.
            dim: Numbers in the embedding, of all groups together.
            stage: The number of the map, counted from 0.
        """

    def build(
        self, channels: tuple[int, ...], dim: int, names: tuple[str, ...] = ()
    ) -> GroupedHead:
        """Build the head for a backbone with these stages; each group gets dim // groups.

        Raises:
            ConfigError: There are fewer numbers than groups, or no such stage.
        """
        stage = read_stage(self.stage, channels, names)
        return self.head(channels[stage], dim, stage)

    def attach(self, backbone: Network, dim: int) -> tuple[Network, GroupedHead]:
        """Build the head on a backbone, which stays whole."""
        return backbone, self.build(backbone.channels, dim, backbone.names)

    @property
    def top_stage(self) -> int | str:
        """The stage that the head reads."""
        return self.stage


def read_stage(
    stage: int | str,
    channels: tuple[int, ...],
    names: tuple[str, ...] = (),
    *,
    key: str = "head.stage",
) -> int:
    """Return the number of a stage, counted from 0.

    Args:
        stage: Its number, negative from the last, or its name.
        channels: One entry for each stage of the backbone.
        names: What the stages are called, where they have names.
        key: What the error calls the setting.

    Raises:
        ConfigError: The backbone has no such stage.

    >>> read_stage(-1, (64, 128), ("low", "high")), read_stage("low", (64, 128), ("low", "high"))
    (1, 0)
    """
    numbered = isinstance(stage, int) and -len(channels) <= stage < len(channels)
    if not numbered and stage not in names:
        called = f", called {', '.join(names)}" if names else ""
        raise ConfigError(
            f"{key} = {stage}: the backbone has {len(channels)} stages, "
            f"{-len(channels)} to {len(channels) - 1}{called}"
        )
    return range(len(channels))[stage] if isinstance(stage, int) else names.index(stage)


def share_of(dim: int, groups: int) -> int:
    """Return how many numbers each group gets; what cannot be shared evenly is left out.

    Raises:
        ConfigError: There are fewer numbers than groups.

    >>> share_of(512, 3)
    170
    """
    if dim < groups:
        raise ConfigError(f"dim = {dim} cannot be shared by {groups} groups: raise dim")
    return dim // groups
