"""Files that are replaced in one step: after a kill, the old one or the new; folders to fill."""

import os
from collections.abc import Callable
from pathlib import Path

from lookalike.errors import LookalikeError, UsageError


def replace(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file beside `path` and then put it in its place, in one step.

    Args:
        path: The file to create or replace.
        write: Writes the file whose path it is given.
    """
    unfinished = path.with_name(f".{path.name}.unfinished")
    write(unfinished)
    os.replace(unfinished, path)


def replace_text(path: Path, text: str) -> None:
    """Write text to a file, as UTF-8, in one step."""
    replace(path, lambda unfinished: unfinished.write_text(text, encoding="utf-8"))


def make_folder(folder: Path, *, called: str = "") -> None:
    """Create a folder for results, and those above it, before the work.

    Args:
        folder: May be there already.
        called: The option that names it, for messages.

    Raises:
        UsageError: It is a file.
        LookalikeError: It cannot be created.
    """
    name = f"{called} {folder}".lstrip()
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{name}: this is a file; name a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LookalikeError(f"{name}: cannot be created: {error.strerror}") from None
