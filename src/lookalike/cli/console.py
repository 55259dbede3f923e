"""What a person sees while a command works: progress and complaints, on stderr.

Results go to stdout, so that they can be piped on.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from lookalike.evaluation import Report

console = Console(stderr=True, highlight=False, soft_wrap=True)

PATIENCE = 1.0
"""Seconds before a bar appears: what is done by then needs none."""


def complain(message: str) -> None:
    """Say what went wrong."""
    console.print("[bold red]error:[/bold red]", end=" ")
    console.print(message, markup=False)


def say(message: str) -> None:
    """Say something on the way."""
    console.print(message, markup=False)


def show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Show a warning as a sentence, without the place in the code."""
    if issubclass(category, UserWarning):
        console.print("[bold yellow]warning:[/bold yellow]", end=" ")
        console.print(str(message), markup=False)


def progress_bar() -> Progress:
    """Return a bar that goes when it is done, and is silent where nobody watches."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not sys.stderr.isatty(),
    )


@contextmanager
def bar(description: str) -> Iterator[Callable[[int, int], None]]:
    """Give a function that takes how much is done, of how much, and shows it as a bar."""
    with progress_bar() as progress:
        started = time.monotonic()
        task = progress.add_task(description, total=None, visible=False)

        def update(done: int, total: int) -> None:
            late = time.monotonic() - started > PATIENCE
            progress.update(task, completed=done, total=total, visible=late)

        yield update


def show(report: "Report", *, as_json: bool) -> None:
    """Print a report on stdout, as a table for people or as JSON for machines."""
    print(report.to_json() if as_json else report.to_text())
