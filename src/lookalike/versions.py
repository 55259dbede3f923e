"""What the numbers in a file depend on beside the model and the pictures."""

from importlib.metadata import version

import torch


def versions() -> dict[str, str]:
    """Return the versions of this library and of torch."""
    return {"lookalike": version("lookalike"), "torch": torch.__version__}
