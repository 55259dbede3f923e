"""What the config of every head tells: the similarity, the stages and the backbone that fit it."""

from typing import ClassVar, Protocol, runtime_checkable

from lookalike.backbones import Network
from lookalike.config import Config
from lookalike.protocols import Head


@runtime_checkable
class _BuildsOnStages(Protocol):
    """A config whose head reads the maps of a whole backbone."""

    def build(self, channels: tuple[int, ...], dim: int, names: tuple[str, ...] = ()) -> Head: ...


class HeadBase(Config):
    """The config of a head.

    A head that reads the maps of a whole backbone has `build` and `stage`; one that takes over
    part of the backbone has its own `attach` and `top_stage`.
    """

    similarity: ClassVar[str] = "cosine"
    """The `kind` of the similarity that compares what the head makes."""

    def attach(self: _BuildsOnStages, backbone: Network, dim: int) -> tuple[Network, Head]:
        """Build the head on a backbone, with `dim` numbers in the embedding.

        Returns:
            The part of the backbone that stays with the model, and the head.

        Raises:
            ConfigError: The head does not fit the backbone or the number of dimensions.
        """
        return backbone, self.build(backbone.channels, dim, backbone.names)

    @property
    def top_stage(self) -> int | str:
        """The highest stage that the head reads: the one that an untrained baseline pools."""
        stage: int | str = getattr(self, "stage", -1)
        return stage
