"""`lookalike evaluate`: measure a model on a catalog."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.selection import (
    AllowPartial,
    ColumnNames,
    Data,
    make_folder,
    open_catalog,
    require_folder,
)
from lookalike.cli.settings import Assignments, ConfigFile, Json, settle
from lookalike.errors import UsageError

if TYPE_CHECKING:
    from lookalike.data import Catalog
    from lookalike.explanation.report import ExplanationsReport
    from lookalike.model import Model

PAIRS = 100
"""Pairs that explanations are measured on unless told otherwise."""


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
        typer.Option(min=1, help=f"Pairs that explanations are measured on; {PAIRS} if left."),
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Methods to measure, the one of most interest first: exact, shared, grad_cam, "
            "input_gradient, integrated_gradients, second_order, random.",
        ),
    ] = None,
    columns: ColumnNames = None,
    allow_partial: AllowPartial = False,
    config: ConfigFile = None,
    assignments: Assignments = None,
    as_json: Json = False,
) -> None:
    """Measure how well a model finds pictures of the same class, with every definition.

    Keys for --set are those of a recipe's evaluation, e.g. ks=[1,10,100] or workers=2.

    With --explanations also how good the model's explanations are: deletion
    and insertion, controls, localisation where parts are known, what groups
    are about, stability. This takes minutes, the more the more pairs.
    """
    from lookalike import checkpoint, recipes
    from lookalike.cli.console import bar, show

    if out is not None:
        if out.suffix not in {".json", ".md"}:
            raise UsageError(f"--out {out}: name a file that ends in .json or .md")
        require_folder(out)
    asked = _Explanations.asked_for(explanations, pairs, methods)
    settings = settle(recipes.EvaluationConfig(), config, assignments)
    catalog = open_catalog(data, columns, split=split, allow_partial=allow_partial)
    model = checkpoint.load(run)
    if asked is not None:
        make_folder("--explanations", asked.folder)
    with bar("embedding") as progress:
        report = settings.run(model, catalog, progress=progress)
    if out is not None:
        report.save(out)
    if asked is None or not as_json:
        show(report, as_json=as_json)
    if asked is None:
        return
    measured = asked.measure(model, catalog, called=str(data))
    if as_json:
        both = {**report.to_dict(), "explanations": measured.to_dict()}
        print(json.dumps(both, indent=1, ensure_ascii=False))
    else:
        print(measured)


@dataclass(frozen=True, slots=True)
class _Explanations:
    """What is asked of the measures of explanations.

    Args:
        folder: Where the report goes.
        pairs: At most.
        methods: Their names, which exist; None is the usual ones.
    """

    folder: Path
    pairs: int
    methods: tuple[str, ...] | None

    @staticmethod
    def asked_for(
        folder: Path | None, pairs: int | None, methods: str | None
    ) -> "_Explanations | None":
        """Read the options, before the work and not after it; None if nothing is asked.

        Raises:
            UsageError: There is no folder to go with the other options, or no such method.
        """
        if folder is None:
            if pairs is None and methods is None:
                return None
            option = "--methods" if pairs is None else "--pairs"
            raise UsageError(f"{option} goes with --explanations FOLDER, which is not given")
        if methods is None:
            return _Explanations(folder, pairs or PAIRS, None)
        from lookalike.explanation.saliency import choose_methods

        names = tuple(name.strip() for name in methods.split(","))
        try:
            choose_methods(names)
        except UsageError as error:
            raise UsageError(f"--methods {methods}: {error}") from None
        return _Explanations(folder, pairs or PAIRS, names)

    def measure(self, model: "Model", catalog: "Catalog", *, called: str) -> "ExplanationsReport":
        """Measure, and write the report; in it the pictures are called what the user calls them."""
        from lookalike.cli.console import bar, say
        from lookalike.explanation.report import measure_explanations

        with bar("measuring explanations") as progress:
            report = measure_explanations(
                model, catalog, methods=self.methods, pairs=self.pairs, progress=progress
            )
        report = report.renamed(str(catalog.root), called)
        files = report.save(self.folder)
        say(f"open {files[0]}")
        return report
