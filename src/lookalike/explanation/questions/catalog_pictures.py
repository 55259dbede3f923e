"""Pictures of a catalog as explanations take them, and the row of a picture in a catalog."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from torch import nn

from lookalike.data import Catalog, Picture, decode
from lookalike.errors import UsageError
from lookalike.explanation.account.explanation import Explanation
from lookalike.explanation.account.group_names import GroupNames
from lookalike.explanation.account.pair import explain_pairs
from lookalike.explanation.groups.subject import Subject
from lookalike.model import Model
from lookalike.preprocessing import Preprocessing
from lookalike.rendering.labels import printable


def source(catalog: Catalog, row: int, preprocessing: Preprocessing) -> Picture:
    """Return a picture as `Model.embed_catalog` reads it: its file, or the inside of its box.

    Args:
        catalog: Whose picture.
        row: Its number in the catalog.
        preprocessing: Says whether boxes are used.

    Raises:
        ImageError: The inside of a box cannot be read.
    """
    subject, p = Subject.of(catalog, row), preprocessing
    if subject.box is None or not p.use_boxes:
        return subject.path
    side = p.resize or p.size
    return decode(subject.path, background=p.background, draft_side=side, box=subject.box)


def row_of(catalog: Catalog, picture: Picture) -> int | None:
    """Return the number in a catalog of a picture's file; None where it is not among them."""
    if not isinstance(picture, str | Path):
        return None
    wanted = os.path.realpath(picture)
    root = os.path.realpath(catalog.root)
    paths = (os.path.normpath(os.path.join(root, path)) for path in catalog.paths)
    return next((row for row, path in enumerate(paths) if path == wanted), None)


def explain_rows(
    model: Model,
    query: Picture,
    catalog: Catalog,
    rows: Sequence[int],
    *,
    own: int | None = None,
    names: GroupNames | None = None,
) -> list[Explanation]:
    """Explain a picture against some of a catalog.

    Args:
        model: What scores them.
        query: The picture.
        catalog: Where the others are.
        rows: Their numbers in the catalog.
        own: The number of the query, where the catalog has it.
        names: Of the groups.
    """
    p = model.preprocessing
    a = query if own is None else source(catalog, own, p)
    pairs = [(a, source(catalog, row, p)) for row in rows]
    explained = []
    for why, row in zip(explain_pairs(model, pairs, names=names), rows, strict=True):
        filed = why if own is None else name_side(why, 0, str(catalog.path(own)))
        explained.append(name_side(filed, 1, str(catalog.path(row))))
    return explained


def require_model(model: nn.Module) -> None:
    """Make sure that a question is asked of a model that can be explained exactly.

    Raises:
        UsageError: It is another module.
    """
    if not isinstance(model, Model):
        raise UsageError(
            f"questions are asked of a model of this library, got {type(model).__name__}: "
            "lookalike.load reads one, and lookalike.create_model makes one of a backbone; any "
            "other module is explained by lookalike.explain(module, a, b, preprocessing=...)"
        )


def name_side(why: Explanation, side: int, name: str) -> Explanation:
    """Call picture A (0) or B (1) by a name."""
    a, b = (
        replace(shown, name=printable(name)) if place == side else shown
        for place, shown in enumerate(why.pictures)
    )
    return replace(why, pictures=(a, b))


def class_of(catalog: Catalog, row: int) -> str:
    """Return a picture's class as an answer writes it."""
    return printable(catalog.class_name(row)).replace("_", " ")
