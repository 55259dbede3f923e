"""Commands made from questions: what is read from the source is what the functions say."""

import inspect
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from lookalike.cli.app import app
from lookalike.cli.explain.question_commands import HIDDEN, command_of
from lookalike.cli.explain.question_source import read_questions
from lookalike.explanation.questions import QUESTIONS

SOURCES = {question.command: question for question in read_questions()}
PLACES = {
    "model": ["run"],
    "catalog": ["data", "split", "columns", "allow_partial"],
    "goal": [
        *("below", "below_percentile", "gallery", "out_of_top"),
        *("split", "columns", "allow_partial"),
    ],
    "progress": [],
}
"""What stands for a parameter on the command line, where it is not called the same there."""


def test_the_source_names_the_questions_of_the_registry_in_order():
    assert list(SOURCES) == list(QUESTIONS)
    assert [SOURCES[command].load() for command in SOURCES] == list(QUESTIONS.values())


@pytest.mark.parametrize("command", QUESTIONS)
def test_what_is_read_is_the_signature_and_the_docstring(command):
    function, source = QUESTIONS[command], SOURCES[command]
    signature = inspect.signature(function).parameters.values()
    assert [each.name for each in source.parameters] == [each.name for each in signature]
    for read, real in zip(source.parameters, signature, strict=True):
        assert read.default == (... if real.default is inspect.Parameter.empty else real.default)
        assert read.meaning.endswith(".")
        assert f"{read.name}: {read.meaning[:20]}" in inspect.getdoc(function)
    assert source.help.startswith(inspect.getdoc(function).splitlines()[0])
    assert "Args:" not in source.help


@pytest.mark.parametrize("command", QUESTIONS)
def test_each_command_has_an_option_for_each_parameter(command):
    made = inspect.signature(command_of(SOURCES[command])).parameters
    expected = ["out", "names", "as_json"]
    for each in SOURCES[command].parameters:
        if each.name not in HIDDEN:
            expected += PLACES.get(each.name, [each.name])
    assert set(made) == set(expected)
    defaults = {each.name: each.default for each in SOURCES[command].parameters}
    assert all(made[name].default == defaults[name] for name in made if name in defaults)


@pytest.mark.parametrize("command", QUESTIONS)
def test_help_of_each_command(command):
    shown = CliRunner().invoke(app, ["explain", command, "--help"], env={"COLUMNS": "200"})
    assert shown.exit_code == 0
    words = " ".join(shown.output.split())
    assert SOURCES[command].help.split("\n")[0] in words
    for each in SOURCES[command].parameters:
        if each.name not in {*HIDDEN, *PLACES, "names"}:
            assert each.name.replace("_", "-") in words
            assert each.meaning[:30] in words


TOY = '''
def explain_toy(
    model: Model, a: Picture, *, how: Literal["up", "down"] = "up", twice: bool = False,
    share: float = 0.5, names: GroupNames | None = None,
) -> Answer:
    """Answer with a toy.

    It takes
    two lines.

    Args:
        model: What scores.
        a: The query,
            a picture.
        how: Which way.
        twice: Whether again.
        share: Of what.
        names: Of groups.
    """
'''


def test_a_question_needs_its_file_and_a_line_of_the_registry(tmp_path):
    (tmp_path / "toy.py").write_text(TOY)
    (tmp_path / "__init__.py").write_text(
        "from lookalike.explanation.questions.toy import explain_toy\n"
        'QUESTIONS: dict[str, Question] = {"toy": explain_toy}\n'
    )
    (toy,) = read_questions(tmp_path)
    assert toy.help == "Answer with a toy.\n\nIt takes two lines."
    assert [each.meaning for each in toy.parameters][1] == "The query, a picture."
    alone = typer.Typer()
    alone.command()(command_of(toy))
    shown = CliRunner().invoke(alone, ["--help"], env={"COLUMNS": "120"}).output
    for expected in ("run", "--how", "up|down", "--twice", "--share", "0.5", "--names", "--json"):
        assert expected in shown
    assert "--split" not in shown
    wrong = CliRunner().invoke(alone, ["run", "a.png", "--how", "left"])
    assert wrong.exit_code == 2


def test_a_type_without_an_option_is_an_error_of_ours(tmp_path):
    toy = TOY.replace("share: float = 0.5", "share: complex = 0.5")
    (tmp_path / "toy.py").write_text(toy)
    (tmp_path / "__init__.py").write_text(
        "from toy import explain_toy\nQUESTIONS: dict[str, Question] = {'toy': explain_toy}\n"
    )
    with pytest.raises(TypeError, match="share: complex: no option"):
        command_of(read_questions(tmp_path)[0])


def test_help_imports_no_torch():
    code = (
        "import sys\n"
        "from typer.testing import CliRunner\n"
        "from lookalike.cli.app import app\n"
        "done = CliRunner().invoke(app, ['explain', 'change', '--help'])\n"
        "print(done.exit_code, sorted({'torch', 'numpy', 'PIL'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0 []"
