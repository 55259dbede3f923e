"""The errors that a user can see; each names the file, row or key and says what to do.

`UsageError` and its kinds mean "you asked wrongly" (exit code 2 on the command line), the others
mean "it failed" (exit code 1).
"""

from pathlib import Path


class LookalikeError(Exception):
    """Something failed, and one sentence says what."""

    exit_code = 1


class UsageError(LookalikeError, ValueError):
    """The request itself is wrong; nothing was done."""

    exit_code = 2


class ConfigError(UsageError):
    """A key of a configuration is unknown, missing or out of range; the message holds its path."""


class CatalogError(UsageError):
    """A catalog cannot be read as it stands; the message names the file and the rows."""


class ImageError(LookalikeError):
    """A picture cannot be read.

    Args:
        path: The file as the caller named it.
        reason: What is wrong with it, as a short phrase.
        row: Where a catalog's source names the file, as `Catalog.rows` counts it.
    """

    def __init__(self, path: str | Path, reason: str, *, row: int | None = None) -> None:
        self.path = str(path)
        self.reason = reason
        self.row = row
        where = "" if row is None else f" (row {row})"
        super().__init__(f"{self.path}{where}: {reason}")

    def at_row(self, row: int) -> "ImageError":
        """Return the same error with the catalog's row in it."""
        return ImageError(self.path, self.reason, row=row)

    def __reduce__(self) -> tuple[type["ImageError"], tuple[str, str]]:
        # Errors are sent between processes by loader workers; the receiver adds the row again.
        return (ImageError, (self.path, self.reason))


class WeightsError(LookalikeError):
    """Pretrained weights are not on this machine and cannot be fetched."""


class DivergedError(LookalikeError):
    """A number in training is not finite; the last good state is on disk."""


class CheckpointError(LookalikeError):
    """A run folder is missing a file, or its files do not belong together."""
