"""What one may choose of a backbone with stages, and how a stage is named in that choice."""

from lookalike.config import Config
from lookalike.errors import ConfigError


class StagedConfig(Config):
    """What the configs of all convolutional networks share."""

    kind: str
    pretrained: bool = True
    stages: int | str | None = None
    """Which stages to build, from the input: how many, or the last one's name; None is all. Fewer
    are faster, and their last map is finer and more local."""
    freeze_batch_norm: bool = True
    """Keep batch norm's running statistics as they are while training."""
    frozen_stages: int | str = 0
    """Which stages, from the input, are not trained at all: how many, or the last one's name."""

    @property
    def label(self) -> str:
        """What tables call the network."""
        return self.kind


def count_stages(asked: int | str, names: tuple[str, ...], *, key: str, least: int = 0) -> int:
    """Return how many stages from the input are meant.

    Args:
        asked: How many, or the name of the last one.
        names: Of all stages, low to high.
        key: Of the backbone's config, for the message.
        least: The smallest number that makes sense.

    Raises:
        ConfigError: There are not that many, or none has this name.

    >>> count_stages("layer2", ("act1", "layer1", "layer2", "layer3"), key="stages")
    3
    """
    if asked in names:
        return names.index(str(asked)) + 1
    if isinstance(asked, int) and least <= asked <= len(names):
        return asked
    raise ConfigError(
        f"backbone.{key} = {asked}: give a number from {least} to {len(names)}, or one of the "
        f"names {', '.join(names)}"
    )
