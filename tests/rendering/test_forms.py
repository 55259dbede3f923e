import json
from dataclasses import dataclass
from typing import ClassVar

import pytest

from lookalike.errors import UsageError
from lookalike.rendering.forms import (
    Shown,
    figure_of,
    fragment_of,
    page_of,
    record_of,
    sentences_of,
)


@dataclass(frozen=True, slots=True)
class Sign(Shown):
    noun: ClassVar[str] = "a sign"

    word: str


@page_of.register(Sign)
def sign_page(sign):
    return f'<p class="sign">{sign.word}</p>'


@record_of.register(Sign)
def sign_record(sign):
    return {"word": sign.word, "length": float(len(sign.word))}


@sentences_of.register(Sign)
def sign_sentences(sign):
    return (f"It says {sign.word}.",)


def test_a_value_has_the_forms_registered_for_its_type(tmp_path):
    sign = Sign("stop")
    assert sign.to_html() == '<p class="sign">stop</p>'
    assert json.loads(sign.to_json()) == {"word": "stop", "length": 4}
    assert sign.sentences == ("It says stop.",)
    sign.save(tmp_path / "sign.HTML")
    assert (tmp_path / "sign.HTML").read_text() == sign.to_html()


def test_without_a_fragment_of_its_own_a_notebook_shows_the_page_in_a_frame():
    fragment = Sign("stop")._repr_html_()
    assert 'srcdoc="&lt;p class=&quot;sign&quot;&gt;stop' in fragment


def test_messages_use_the_noun_of_the_value(tmp_path):
    with pytest.raises(UsageError, match=r"sign\.txt: a sign is saved as"):
        Sign("stop").save(tmp_path / "sign.txt")


@pytest.mark.parametrize("form", [figure_of, fragment_of, page_of, record_of, sentences_of])
def test_a_form_without_a_renderer_is_an_error_that_names_the_type(form):
    with pytest.raises(TypeError, match="of int"):
        form(3)
