"""Reading the `.mat` files of benchmarks, up to version 7."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lookalike.errors import CatalogError


def read_structs(path: Path, variable: str, fields: Sequence[str]) -> dict[str, list[Any]]:
    """Read fields of a 1×N struct array, each as a list of N values.

    Args:
        path: The file.
        variable: The struct array.
        fields: Whose values are numbers or texts.

    Raises:
        CatalogError: The file cannot be read, or the variable or a field is not in it.
    """
    structs = np.atleast_1d(_variable(path, variable))
    missing = [field for field in fields if field not in (structs.dtype.names or ())]
    if missing:
        raise CatalogError(f"{path}: {variable} has no field {', '.join(missing)}")
    return {field: structs[field].tolist() for field in fields}


def read_texts(path: Path, variable: str) -> list[str]:
    """Read a 1×K cell array of texts.

    Raises:
        CatalogError: The file cannot be read, or the variable is not in it.
    """
    return [str(text) for text in np.atleast_1d(_variable(path, variable)).tolist()]


def _variable(path: Path, name: str) -> Any:  # noqa: ANN401 - a .mat file holds anything
    from scipy.io import loadmat

    try:
        variables = loadmat(path, squeeze_me=True, variable_names=[name])
    except FileNotFoundError:
        raise CatalogError(f"{path}: there is no such file") from None
    except Exception as error:  # damaged files fail in many ways
        raise CatalogError(f"{path}: not a .mat file that can be read: {error}") from error
    if name not in variables:
        raise CatalogError(f"{path}: it has no variable {name!r}")
    return variables[name]
