"""The demo's page: figures before and after, result lists with their reasons, what groups see."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lookalike.data import Catalog, decode
from lookalike.evaluation import Report
from lookalike.explanation import data_uri, overlay, strongest
from lookalike.model import Model
from lookalike.recipes.findings import Finding
from lookalike.rendering.pages import templates

MEASURES = {
    "recall_at_1": "R@1",
    "recall_at_2": "R@2",
    "recall_at_4": "R@4",
    "map_at_r": "MAP@R",
    "nmi": "NMI",
    "ami": "AMI",
}
SIDE = 96
"""Of the pictures in a row of a group, pixels."""


@dataclass(frozen=True, slots=True)
class GroupRow:
    """The pictures at which one group looks hardest, as data URIs with captions."""

    name: str
    pictures: tuple[tuple[str, str], ...]


def render(
    model: Model,
    catalog: Catalog,
    *,
    reports: Mapping[str, Report],
    findings: Sequence[Finding],
    figures: Mapping[str, object],
) -> str:
    """Return the page, with nothing outside it that it needs.

    Args:
        model: The trained model.
        catalog: The test pictures.
        reports: By the name of what was measured, in the order of the table.
        findings: Result lists to show.
        figures: What `report.json` holds.
    """
    page = templates(Path(__file__).parent / "templates").get_template("demo.html")
    return page.render(
        reports=reports,
        measures=MEASURES,
        findings=findings,
        groups=group_rows(model, catalog),
        figures=figures,
        names=[_plain(catalog.class_name(i)) for i in range(len(catalog))],
        styles=catalog.groups,
        pictures=lambda row: data_uri(decode(catalog.path(row))),
    )


def group_rows(model: Model, catalog: Catalog, *, count: int = 10) -> list[GroupRow]:
    """Draw each group's attention over the pictures in which it peaks."""
    rows = []
    for group, peaks in enumerate(strongest(model, catalog, count=count)):
        drawn = []
        for peak in peaks:
            picture = decode(catalog.path(peak.row), background=model.preprocessing.background)
            geometry = model.preprocessing.geometry(*picture.size)
            shown = overlay(picture, peak.map, geometry, limit=float(peak.map.max()), side=SIDE)
            caption = f"{_plain(catalog.class_name(peak.row))}: {peak.weight:.0%} at the peak"
            drawn.append((data_uri(shown), caption))
        rows.append(GroupRow(f"group {group}", tuple(drawn)))
    return rows


def _plain(name: str) -> str:
    return name.replace("_", " ")
