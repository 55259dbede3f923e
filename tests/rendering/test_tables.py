import pytest

from lookalike.rendering.tables import (
    Table,
    TableCell,
    TableColumn,
    to_html,
    to_markdown,
    to_text,
)

COLUMNS = (
    TableColumn("variant", align="left"),
    TableColumn("R@1", meaning="share of queries <right>"),
    TableColumn("from", align="left"),
)
TABLE = Table(
    "Recall",
    COLUMNS,
    (
        ("a|b", TableCell("0.750", "± 0.010", "best"), "here"),
        ("[bold]", TableCell("0.740", mark="near"), ""),
    ),
    definition="What it is.",
    notes=("How to read it.", "And more."),
)


def test_markdown_has_title_definition_rows_and_notes():
    assert to_markdown(TABLE) == [
        "## Recall",
        "",
        "What it is.",
        "",
        "| variant | R@1 | from |",
        "| --- | ---: | --- |",
        "| a\\|b | **0.750** ± 0.010 | here |",
        "| [bold] | 0.740 ≈ |  |",
        "",
        "- How to read it.",
        "- And more.",
    ]


def test_markdown_of_a_bare_table_begins_with_its_columns():
    assert to_markdown(Table("", COLUMNS, ()))[0] == "| variant | R@1 | from |"


def test_text_is_aligned_and_takes_brackets_as_they_are():
    assert to_text(TABLE).splitlines() == [
        "Recall",
        "variant              R@1  from",
        "a|b      * 0.750 ± 0.010  here",
        "[bold]           ≈ 0.740",
    ]


def test_a_long_text_table_is_not_wrapped():
    wide = Table("", (TableColumn("x" * 300, align="left"),), (("y" * 400,),))
    assert to_text(wide).splitlines() == ["x" * 300, "y" * 400]


def test_html_escapes_words_and_marks_the_best():
    html = to_html(TABLE, heading="h3")
    assert "<h3>Recall</h3>" in html
    assert 'title="share of queries &lt;right&gt;"' in html
    assert "<td><b>0.750</b><small>± 0.010</small></td>" in html
    assert "<td>≈ 0.740</td>" in html
    assert '<th scope="row" class="words">a|b</th>' in html
    assert "<p>How to read it.</p>" in html


def test_html_can_be_inserted_into_a_template_as_it_is():
    from jinja2 import Environment

    page = Environment(autoescape=True).from_string("{{ table }}")
    assert "<h2>Recall</h2>" in page.render(table=to_html(TABLE))


def test_a_row_of_another_length_is_refused():
    with pytest.raises(ValueError, match="2 cells under 3 columns"):
        Table("", COLUMNS, (("a", "b"),))
