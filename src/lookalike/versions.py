"""The versions of packages that numbers in a file depend on."""

import platform
from importlib.metadata import version

import torch

PACKAGES = ("lookalike", "torch", "torchvision", "timm", "accelerate")


def versions() -> dict[str, str]:
    """Return the versions of this library and of torch: what an explanation depends on."""
    return {"lookalike": version("lookalike"), "torch": torch.__version__}


def training_versions() -> dict[str, str]:
    """Return the versions of Python and of every package that training depends on."""
    return {"python": platform.python_version()} | {name: version(name) for name in PACKAGES}
