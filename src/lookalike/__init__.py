"""lookalike: image embeddings that are measured honestly and can show why two images are alike.

The names below are loaded when they are first used, so that `import lookalike` and the command
line start at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

_NAMES = {
    "Catalog": "lookalike.data",
    "Embedding": "lookalike.types",
    "Explanation": "lookalike.explanation",
    "Model": "lookalike.model",
    "Preprocessing": "lookalike.preprocessing",
    "Report": "lookalike.evaluation",
    "compare": "lookalike.comparison",
    "create_model": "lookalike.model",
    "evaluate": "lookalike.evaluation",
    "explain": "lookalike.explanation",
    "load": "lookalike.checkpoint",
    "save": "lookalike.checkpoint",
}
_MODULES = {
    "backbones": "lookalike.backbones",
    "comparison": "lookalike.comparison",
    "data": "lookalike.data",
    "evaluation": "lookalike.evaluation",
    "explanation": "lookalike.explanation",
    "heads": "lookalike.heads",
    "losses": "lookalike.losses",
    "metrics": "lookalike.metrics",
    "questions": "lookalike.explanation.questions",
    "recipes": "lookalike.recipes",
    "similarity": "lookalike.similarity",
    "training": "lookalike.training",
}

__all__ = [
    "Catalog",
    "Embedding",
    "Explanation",
    "Model",
    "Preprocessing",
    "Report",
    "backbones",
    "compare",
    "comparison",
    "create_model",
    "data",
    "evaluate",
    "evaluation",
    "explain",
    "explanation",
    "heads",
    "load",
    "losses",
    "metrics",
    "questions",
    "recipes",
    "save",
    "similarity",
    "training",
]

if TYPE_CHECKING:
    from lookalike import (
        backbones,
        comparison,
        data,
        evaluation,
        explanation,
        heads,
        losses,
        metrics,
        recipes,
        similarity,
        training,
    )
    from lookalike.checkpoint import load, save
    from lookalike.comparison import compare
    from lookalike.data import Catalog
    from lookalike.evaluation import Report
    from lookalike.evaluation.evaluate_catalog import evaluate
    from lookalike.explanation import Explanation, explain, questions
    from lookalike.model import Model, create_model
    from lookalike.preprocessing import Preprocessing
    from lookalike.types import Embedding


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # slow to import, and seldom needed

        return version("lookalike")
    if name in _NAMES:
        return getattr(import_module(_NAMES[name]), name)
    if name in _MODULES:
        return import_module(_MODULES[name])
    raise AttributeError(f"module 'lookalike' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names, which the Tab key offers."""
    return sorted([*__all__, "__version__"])
