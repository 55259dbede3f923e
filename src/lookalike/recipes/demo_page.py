"""The page of the demo: figures, explained result lists, and what each group looks at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lookalike.data import Catalog, decode
from lookalike.evaluation import Report, find_metric
from lookalike.explanation import data_uri, overlay, strongest
from lookalike.model import Model
from lookalike.recipes.demo_result_lists import ExplainedResults
from lookalike.rendering.pages import templates

METRICS = ("recall_at_1", "recall_at_2", "recall_at_4", "map_at_r", "nmi", "ami")
"""The columns of the table."""
SIDE = 96
"""Side of the pictures of a group, pixels."""


@dataclass(frozen=True, slots=True)
class GroupPictures:
    """The pictures in which one group's map has its highest peaks, as data URIs with captions."""

    name: str
    pictures: tuple[tuple[str, str], ...]


def demo_page(
    model: Model,
    catalog: Catalog,
    *,
    reports: Mapping[str, Report],
    explained: Sequence[ExplainedResults],
    figures: Mapping[str, object],
) -> str:
    """Return the page, as one file that needs no others.

    Args:
        model: The trained model.
        catalog: The test pictures.
        reports: By model, in the order of the table.
        explained: Result lists to show.
        figures: The content of `report.json`.
    """
    page = templates(Path(__file__).parent / "templates").get_template("demo.html")
    return page.render(
        reports=reports,
        metrics={key: _label(key) for key in METRICS},
        explained=explained,
        groups=group_pictures(model, catalog),
        figures=figures,
        names=[_plain(catalog.class_name(i)) for i in range(len(catalog))],
        styles=catalog.groups,
        pictures=lambda row: data_uri(decode(catalog.path(row))),
    )


def group_pictures(model: Model, catalog: Catalog, *, count: int = 10) -> list[GroupPictures]:
    """Draw each group's map over the pictures in which its peak is highest."""
    rows = []
    for group, peaks in enumerate(strongest(model, catalog, count=count)):
        drawn = []
        for peak in peaks:
            picture = decode(catalog.path(peak.row), background=model.preprocessing.background)
            geometry = model.preprocessing.geometry(*picture.size)
            shown = overlay(picture, peak.map, geometry, limit=float(peak.map.max()), side=SIDE)
            caption = f"{_plain(catalog.class_name(peak.row))}: {peak.weight:.0%} at the peak"
            drawn.append((data_uri(shown), caption))
        rows.append(GroupPictures(f"group {group}", tuple(drawn)))
    return rows


def _label(key: str) -> str:
    metric = find_metric(key)
    return key if metric is None else metric.label


def _plain(name: str) -> str:
    return name.replace("_", " ")
