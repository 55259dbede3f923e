"""`lookalike evaluate`: measure a model on a catalog."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.selection import AllowPartial, ColumnNames, Data, open_catalog, require_folder
from lookalike.cli.settings import Assignments, ConfigFile, Json, settle
from lookalike.errors import UsageError
from lookalike.files import make_folder

if TYPE_CHECKING:
    from lookalike.data import Catalog
    from lookalike.explanation.report import ExplanationsReport
    from lookalike.model import Model

PAIRS = 100
"""Pairs on which explanations are measured by default."""


def evaluate(
    run: Annotated[Path, typer.Argument(help="Run folder with the model.")],
    data: Data,
    split: Annotated[
        str | None,
        typer.Option(help='Only this split; "test" where there is one, "all" for everything.'),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Also write the report here: .json or .md.")
    ] = None,
    explanations: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Measure the explanations too: explanations.html, .json and .md go here.",
        ),
    ] = None,
    pairs: Annotated[
        int | None,
        typer.Option(min=1, help=f"Pairs on which explanations are measured; by default {PAIRS}."),
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Methods to measure, the most interesting one first, e.g. exact,grad_cam,random; "
            "an unknown name lists them all.",
        ),
    ] = None,
    columns: ColumnNames = None,
    allow_partial: AllowPartial = False,
    config: ConfigFile = None,
    assignments: Assignments = None,
    as_json: Json = False,
) -> None:
    """Measure how well a model finds pictures of the same class; every number is defined.

    Keys for --set are those of a recipe's evaluation, e.g. ks=[1,10,100] or workers=2.

    With --explanations, measure the explanations of the model too: deletion
    and insertion, controls, localisation if parts are known, the meaning of
    groups, stability. This takes minutes, and longer with more pairs.
    """
    from lookalike import checkpoint, recipes
    from lookalike.cli.console import bar, show

    if out is not None:
        if out.suffix not in {".json", ".md"}:
            raise UsageError(f"--out {out}: name a file that ends in .json or .md")
        require_folder(out)
    if explanations is None and (pairs, methods) != (None, None):
        option = "--methods" if pairs is None else "--pairs"
        raise UsageError(f"{option} needs --explanations FOLDER, which is missing")
    chosen = _chosen_methods(methods)
    settings = settle(recipes.EvaluationConfig(), config, assignments)
    catalog = open_catalog(data, columns, split=split, allow_partial=allow_partial)
    model = checkpoint.load(run)
    if explanations is not None:
        make_folder(explanations, called="--explanations")
    with bar("embedding") as progress:
        report = settings.run(model, catalog, progress=progress)
    if out is not None:
        report.save(out)
    if explanations is None:
        show(report, as_json=as_json)
        return
    if not as_json:
        show(report, as_json=False)
    measured = _measure_explanations(
        model, catalog, chosen, pairs or PAIRS, explanations, called=str(data)
    )
    both = {**report.to_dict(), "explanations": measured.to_dict()}
    print(json.dumps(both, indent=1, ensure_ascii=False) if as_json else measured)


def _chosen_methods(methods: str | None) -> tuple[str, ...] | None:
    """Read `--methods`; None stands for the usual ones.

    Raises:
        UsageError: There is no such method.
    """
    if methods is None:
        return None
    from lookalike.explanation.saliency import choose_methods

    names = tuple(name.strip() for name in methods.split(","))
    try:
        choose_methods(names)
    except UsageError as error:
        raise UsageError(f"--methods {methods}: {error}") from None
    return names


def _measure_explanations(
    model: "Model",
    catalog: "Catalog",
    methods: tuple[str, ...] | None,
    pairs: int,
    folder: Path,
    *,
    called: str,
) -> "ExplanationsReport":
    """Measure, and write the report, in which the data have the name that the user gave."""
    from lookalike.cli.console import bar, say
    from lookalike.explanation.report import measure_explanations

    with bar("measuring explanations") as progress:
        report = measure_explanations(
            model, catalog, methods=methods, pairs=pairs, progress=progress
        )
    report = report.renamed(str(catalog.root), called)
    say(f"open {report.save(folder)[0]}")
    return report
