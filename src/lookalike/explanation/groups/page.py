"""What groups look at, as a page that stands alone."""

from collections.abc import Sequence
from pathlib import Path

from lookalike.explanation.groups.report import GroupReport
from lookalike.rendering.overlays import data_uri, ramp
from lookalike.rendering.pages import templates
from lookalike.rendering.sheets import Sheet


def to_html(report: GroupReport, sheets: Sequence[Sheet]) -> str:
    """Return a page with a report's sheets, and no reference to anything outside it."""
    here = templates(Path(__file__).parent / "templates")
    page = here.get_template("groups.html")
    return page.render(
        report=report,
        sheets=sheets,
        uri=data_uri,
        ramp=ramp(41)[20:].tolist(),
    )
