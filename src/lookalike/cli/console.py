"""Progress bars, messages and errors on stderr.

Results go to stdout, so that they can be piped.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as ProgressBars

from lookalike.progress import Progress

if TYPE_CHECKING:
    from lookalike.evaluation import Report

console = Console(stderr=True, highlight=False, soft_wrap=True)

PATIENCE = 1.0
"""Seconds before a bar appears. Shorter work needs none."""


def complain(message: str) -> None:
    """Print an error."""
    console.print("[bold red]error:[/bold red]", end=" ")
    console.print(message, markup=False)


def say(message: str) -> None:
    """Print a message."""
    console.print(message, markup=False)


def show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning as a sentence, without its place in the code."""
    if issubclass(category, UserWarning):
        console.print("[bold yellow]warning:[/bold yellow]", end=" ")
        console.print(str(message), markup=False)


def progress_bars() -> ProgressBars:
    """Return bars that disappear when the work is done; without a terminal, nothing is shown."""
    return ProgressBars(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not sys.stderr.isatty(),
    )


@contextmanager
def bar(description: str) -> Iterator[Progress]:
    """Show a bar while the block runs; the callback moves it."""
    with progress_bars() as bars:
        started = time.monotonic()
        task = bars.add_task(description, total=None, visible=False)

        def update(done: int, total: int) -> None:
            late = time.monotonic() - started > PATIENCE
            bars.update(task, completed=done, total=total, visible=late)

        yield update


def show(report: "Report", *, as_json: bool) -> None:
    """Print a report on stdout, as a table for people or as JSON for machines."""
    print(report.to_json() if as_json else report.to_text())
