"""Every question of the registry: asked in one line, it answers in every form."""

import inspect
import json
from pathlib import Path

import pytest
from PIL import Image

from lookalike.explanation import questions
from lookalike.explanation.account.group_names import GroupNames
from lookalike.explanation.questions import QUESTIONS, Answer, Below

ASK = {
    "why-different": lambda ask, model, a, b, c, catalog: ask(model, a, c),
    "why-above": lambda ask, model, a, b, c, catalog: ask(model, a, b, c),
    "change": lambda ask, model, a, b, c, catalog: ask(model, a, b, Below(0.99), cells=2),
    "results": lambda ask, model, a, b, c, catalog: ask(model, a, catalog, k=2),
    "mistake": lambda ask, model, a, b, c, catalog: ask(model, catalog, 3),
    "worst": lambda ask, model, a, b, c, catalog: ask(model, catalog, count=1),
    "background": lambda ask, model, a, b, c, catalog: ask(model, a, b, catalog, count=2),
}


@pytest.fixture
def pictures(shelf):
    return [shelf.path(row) for row in (0, 1, 4)]


def test_each_question_is_asked_here_and_has_the_name_of_its_function():
    assert set(ASK) == set(QUESTIONS)
    for command, function in QUESTIONS.items():
        assert function.__name__ == f"explain_{command.replace('-', '_')}"
        assert getattr(questions, function.__name__) is function
        assert function.__name__ in questions.__all__


@pytest.mark.parametrize("command", QUESTIONS)
def test_each_answers_in_words_a_figure_a_page_and_numbers(command, plain, pictures, shelf):
    answer = ASK[command](QUESTIONS[command], plain, *pictures, shelf)
    assert isinstance(answer, Answer)
    story = answer.story()
    assert all(sentence in str(answer) for sentence in (story.question, *story.sentences))
    drawn = " ".join(text.get_text() for text in answer.plot().findobj(match=_is_text))
    assert story.question in drawn
    assert story.sentences[-1].split()[-1] in drawn
    page = answer.to_html()
    assert page.count("<img") == sum(len(row.tiles) for row in answer.rows()) > 1
    record = json.loads(answer.to_json())
    assert record["sentences"] == list(story.sentences)
    assert len(record["groups"]) == 2


def _is_text(artist):
    return hasattr(artist, "get_text")


@pytest.mark.parametrize("command", QUESTIONS)
def test_each_takes_names_of_groups(command, plain, pictures, shelf):
    names = GroupNames(("ears", None))

    def ask(*arguments, **settings):
        return QUESTIONS[command](*arguments, names=names, **settings)

    answer = ASK[command](ask, plain, *pictures, shelf)
    assert [group.name for group in answer.story().bars] == ["ears (group 0)", "group 1"]


OF_PICTURES = [
    command for command, ask in QUESTIONS.items() if "a" in inspect.signature(ask).parameters
]


@pytest.mark.parametrize("command", OF_PICTURES)
def test_pictures_are_paths_images_or_arrays(command, plain, noise, shelf, tmp_path):
    arrays = [noise(seed) for seed in (1, 2, 3)]
    images = [Image.fromarray(pixels) for pixels in arrays]
    for number, image in enumerate(images):
        image.save(tmp_path / f"{number}.png")
    paths = [tmp_path / f"{number}.png" for number in range(3)]
    scores = [
        ASK[command](QUESTIONS[command], plain, *pictures, shelf).record()["groups"][0]["value"]
        for pictures in (arrays, images, paths, [str(path) for path in paths])
    ]
    assert scores == pytest.approx([scores[0]] * 4, abs=1e-7)


def test_the_documentation_has_every_question():
    text = (Path(__file__).parents[3] / "docs" / "explanations.md").read_text()
    for command, function in QUESTIONS.items():
        assert f"`lookalike explain {command} RUN" in text
        assert f"`la.questions.{function.__name__}(model, " in text
