import json
import re

from PIL import Image

from lookalike.rendering.sheet_page import sheet_page
from lookalike.rendering.sheets import ColourScale, Sheet, SheetColumn, SheetRow, Tile


def sheet(title="Why <b>?") -> Sheet:
    tile = Tile(Image.new("RGB", (20, 20), "red"), "A", "a file")
    row = SheetRow("first", (tile, None), columns=(SheetColumn("column", "+1"),))
    return Sheet(title, (row,), ColourScale("0", "peak", signed=False), notes=("Small print.",))


def test_one_sheet_is_the_page():
    page = sheet_page([sheet()])
    assert "<h1>Why &lt;b&gt;?</h1>" in page
    assert "<h2" not in page
    assert "<script" not in page
    assert 'alt="first, A, a file"' in page
    assert '<span class="scale half"' in page
    assert not re.search(r'(src|href)="(?!data:)', page)


def test_several_sheets_have_headings():
    page = sheet_page([sheet("one"), sheet("two")], title="Both", note="how", closing="end")
    assert "<h1>Both</h1>" in page
    assert re.findall(r'<h2 id="sheet\d">(\w+)</h2>', page) == ["one", "two"]


def test_numbers_are_data_and_cannot_run():
    record = {"value": 0.5, "name": "</script><script>alert(1)</script>&'"}
    page = sheet_page([sheet()], record=record, name="mine")
    inside = re.search(r'<script type="application/json" id="record">(.*?)</script>', page, re.S)
    assert json.loads(inside[1]) == record
    assert list(json.loads(inside[1])) == ["value", "name"]
    assert page.count("<script") == 2
    assert 'data-name="mine.json"' in page
