"""A comparison's files: its rows for machines, and its report for people."""

import json
import re
from dataclasses import replace
from pathlib import Path

from lookalike.comparison.markdown import to_markdown
from lookalike.comparison.page import to_html
from lookalike.comparison.report import ComparisonReport
from lookalike.comparison.run import Comparison
from lookalike.files import replace_text


def write_results(report: ComparisonReport, target: Path, *, page: bool = False) -> list[Path]:
    """Write NAME.json, a list of rows, and NAME.md; each in one step.

    Args:
        report: What to write.
        target: A folder that is there, and NAME.
        page: Also write NAME.html.

    Returns:
        The files.
    """
    texts = {"json": to_json(report.comparison), "md": to_markdown(report)}
    if page:
        texts["html"] = to_html(report)
    files = []
    for suffix, text in texts.items():
        files.append(target.with_name(f"{target.name}.{suffix}"))
        replace_text(files[-1], text)
    return files


def to_json(comparison: Comparison) -> str:
    """Return a JSON list of the rows, measures among the other values; see `Row`."""
    rows = [row.to_dict() for row in comparison.rows]
    return json.dumps(rows, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def renamed(comparison: Comparison, data: str) -> Comparison:
    """Return a comparison whose pictures are called by one word, wherever they lay for each run.

    Args:
        comparison: All its runs are on the same pictures.
        data: How whoever runs it names them, e.g. "demo".
    """
    where = re.compile(r"^.*?(?=(?:, split [^:]*)?: \d+ pictures of \d+ classes$)", re.DOTALL)
    rows = (replace(row, data=where.sub(lambda _: data, row.data)) for row in comparison.rows)
    return replace(comparison, rows=tuple(rows))
