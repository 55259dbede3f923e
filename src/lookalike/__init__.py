"""lookalike: image embeddings that are measured honestly and can show why two images are alike.

The names below are loaded when they are first used, so that `import lookalike` and the command
line start at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

_WHERE = {
    "Catalog": "lookalike.data",
    "Embedding": "lookalike.types",
    "Explanation": "lookalike.explanation",
    "Model": "lookalike.model",
    "Preprocessing": "lookalike.preprocessing",
    "Report": "lookalike.evaluation",
    "create_model": "lookalike.model",
    "evaluate": "lookalike.evaluation",
    "explain": "lookalike.explanation",
    "load": "lookalike.checkpoint",
    "save": "lookalike.checkpoint",
}
_ROOMS = ("backbones", "data", "heads", "losses", "metrics", "recipes", "similarity")

__all__ = [
    "Catalog",
    "Embedding",
    "Explanation",
    "Model",
    "Preprocessing",
    "Report",
    "backbones",
    "create_model",
    "data",
    "evaluate",
    "explain",
    "heads",
    "load",
    "losses",
    "metrics",
    "recipes",
    "save",
    "similarity",
]

if TYPE_CHECKING:
    from lookalike import backbones, data, heads, losses, metrics, recipes, similarity
    from lookalike.checkpoint import load, save
    from lookalike.data import Catalog
    from lookalike.evaluation import Report, evaluate
    from lookalike.explanation import Explanation, explain
    from lookalike.model import Model, create_model
    from lookalike.preprocessing import Preprocessing
    from lookalike.types import Embedding


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # slow to import, and seldom needed

        return version("lookalike")
    if name in _WHERE:
        return getattr(import_module(_WHERE[name]), name)
    if name in _ROOMS:
        return import_module(f"lookalike.{name}")
    raise AttributeError(f"module 'lookalike' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
