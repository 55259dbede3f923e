"""`lookalike explain`: why two pictures are alike, and the questions that follow."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from lookalike.cli.explain.answers import Files, Names, Run, open_run, require_files
from lookalike.cli.explain.groups import groups
from lookalike.cli.explain.name import name
from lookalike.cli.explain.question_commands import command_of
from lookalike.cli.explain.question_source import read_questions
from lookalike.cli.settings import Json
from lookalike.errors import UsageError

if TYPE_CHECKING:
    from lookalike.explanation import Explanation


class PairFirst(TyperGroup):
    """A group of commands that takes `explain RUN A B` as `explain pair RUN A B`."""

    # Which class a context has differs between versions of Typer, and is private in the latest.
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        """Put "pair" before arguments that begin with none of the commands."""
        begins = args[0] if args else ""
        if begins not in self.commands and begins != "--help":
            args = ["pair", *args]
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed


app = typer.Typer(
    cls=PairFirst,
    subcommand_metavar="RUN A B [C] | groups RUN... --data DATA | COMMAND ...",
    rich_markup_mode="rich",
)


@app.callback()
def explain() -> None:
    """Say why two pictures are alike, and answer the questions that follow.

    `explain RUN A B` is short for `explain pair RUN A B`; write it in full
    where the run folder is itself called as one of the commands.
    """


@app.command()
def pair(
    run: Run,
    a: Annotated[Path, typer.Argument(help="A picture.")],
    b: Annotated[Path, typer.Argument(help="Another picture.")],
    c: Annotated[
        Path | None,
        typer.Argument(help="With --graph: a third picture, to hold A with B against A with C."),
    ] = None,
    out: Files = None,
    graph: Annotated[
        Path | None,
        typer.Option(help="Of a graph model: folder for graph.html and figures of its nodes."),
    ] = None,
    names: Names = None,
    as_json: Json = False,
) -> None:
    """Say why two pictures are alike: by group, by region, adding up to the score."""
    from lookalike.cli.console import say
    from lookalike.explanation import explain as explain_pair
    from lookalike.explanation import explain_graph
    from lookalike.explanation.account.group_names import named

    if c is not None and graph is None:
        raise UsageError(
            f"a third picture, {c}, is for --graph FOLDER, or for explain why-above RUN A B C; "
            "leave it out or choose one of them"
        )
    require_files(out)
    model, called = open_run(run, names)
    if graph is None:
        pairs: tuple[Explanation, ...] = (named(explain_pair(model, a, b), called),)
    else:
        report = explain_graph(model, a, b, c)
        pairs = tuple(named(why, called) for why in report.pairs)
        say(f"open {report.save(graph)[0]}")
    for path in out or []:
        pairs[0].save(path)
    if c is None:
        typer.echo(pairs[0].to_json() if as_json else str(pairs[0]))
    elif as_json:
        typer.echo(f"[{', '.join(why.to_json() for why in pairs)}]")
    else:
        typer.echo("\n\n".join(f"A with {x}\n{why}" for x, why in zip("BC", pairs, strict=True)))


for question in read_questions():
    app.command(name=question.command)(command_of(question))
app.command()(groups)
app.command()(name)
