"""Files that are replaced in one step: after a kill, the file is the old or the new one."""

import os
from collections.abc import Callable
from pathlib import Path


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
