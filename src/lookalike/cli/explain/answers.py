"""What the commands that explain have in common: names of groups, files, and what is printed."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.selection import require_folder
from lookalike.errors import UsageError

if TYPE_CHECKING:
    from lookalike.explanation.account.group_names import GroupNames
    from lookalike.model import Model

DATA = "Folder, CSV or Parquet file of pictures, demo, or cub:ROOT and its like."
Run = Annotated[Path, typer.Argument(help="Run folder with the model.")]
Split = Annotated[
    str | None,
    typer.Option(help='Only this split; "test" where there is one, "all" for everything.'),
]
Files = Annotated[
    list[Path] | None,
    typer.Option("--out", help="File to write: .png, .html or .json. Repeats."),
]
Names = Annotated[
    Path | None,
    typer.Option(
        help="File with names of the groups; names.json of the run folder where it is there."
    ),
]


def require_files(files: list[Path] | None) -> None:
    """Make sure, before the work and not after it, that an answer can be written.

    Raises:
        UsageError: A suffix is not known, or a folder is not there.
    """
    from lookalike.rendering.forms import FORMATS

    for path in files or []:
        if path.suffix.lower() not in FORMATS:
            raise UsageError(f"--out {path}: name a file that ends in {', '.join(FORMATS)}")
        require_folder(path)


def open_run(run: Path, names: Path | None) -> "tuple[Model, GroupNames]":
    """Load a model, and the names of its groups.

    Raises:
        CheckpointError: The model or the names cannot be read.
    """
    from lookalike import checkpoint

    model = checkpoint.load(run)
    return model, names_of(model, run, names)


def names_of(model: "Model", run: Path, names: Path | None) -> "GroupNames":
    """Read the names of a model's groups: from a file, or from its run folder.

    Raises:
        CheckpointError: They cannot be read.
    """
    from lookalike.explanation.account.group_names import GroupNames

    groups = model.head.groups
    if names is None:
        return GroupNames.load(run, groups=groups)
    return GroupNames.read(names, groups=groups)
