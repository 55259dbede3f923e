"""Pages from templates: those of a room, and those that all rooms share."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from lookalike.rendering.numbers import number, signed, tiny
from lookalike.rendering.overlays import AGAINST, BEND, FOR, OPACITY, data_uri, ramp

if TYPE_CHECKING:
    from jinja2 import Environment


SHARED = Path(__file__).parent / "templates"


@cache
def templates(folder: Path = SHARED) -> "Environment":
    """Return the templates of a folder and the shared ones.

    Text in them is escaped. Data for a script goes through the filter `tojson`, which keeps the
    order of keys and refuses numbers that are not finite. `signed`, `number` and `tiny` write
    numbers, and `colours` has what a page needs to draw maps as the figures do.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([folder, SHARED]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "sort_keys": False}
    environment.filters |= {"signed": signed, "number": number, "tiny": tiny, "uri": data_uri}
    environment.globals["colours"] = {
        "ramp": ramp(41).tolist(),
        "for": FOR,
        "against": AGAINST,
        "bend": BEND,
        "opacity": OPACITY,
    }
    return environment
