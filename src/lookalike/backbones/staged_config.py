"""The settings of a backbone with stages, and how they name a stage."""

from lookalike.config import Config
from lookalike.errors import ConfigError


class StagedConfig(Config):
    """The settings that all convolutional networks share."""

    kind: str
    pretrained: bool = True
    stages: int | str | None = None
    """The stages to build, from the input: how many, or the name of the last one; None is all.
    With fewer, the network is faster, and its last map is finer and more local."""
    freeze_batch_norm: bool = True
    """Do not update the running statistics of batch norm while training."""
    frozen_stages: int | str = 0
    """The stages, from the input, that are not trained: how many, or the name of the last one."""

    @property
    def label(self) -> str:
        """The name of the network in tables."""
        return self.kind


def count_stages(asked: int | str, names: tuple[str, ...], *, key: str, least: int = 0) -> int:
    """Return the number of stages from the input that a setting means.

    Args:
        asked: How many, or the name of the last one.
        names: Of all stages, low to high.
        key: The setting, for the message.
        least: The smallest number that is allowed.

    Raises:
        ConfigError: There are fewer stages, or none has this name.

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
