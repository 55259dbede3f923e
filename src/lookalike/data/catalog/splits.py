"""Splitting by class, so that a model is measured on classes it has never seen.

Every split depends on the catalog and a seed alone.
"""

import warnings

import numpy as np
from jaxtyping import Int64

from lookalike.data.catalog.catalog import Catalog
from lookalike.data.catalog.entries import count_and_list
from lookalike.errors import CatalogError

FEWEST = 2  # classes on either side; with fewer there is nothing to tell apart


def by_class(catalog: Catalog, *, test_share: float = 0.5, seed: int) -> Catalog:
    """Put whole classes into the splits "train" and "test" at random, in place of any others.

    Args:
        catalog: What to split.
        test_share: Share of the classes that are tested on, between 0 and 1. It is rounded, with
            at least 2 classes on either side.
        seed: The same seed and classes give the same split.

    Raises:
        CatalogError: The share is out of range, or there are fewer than 4 classes.
    """
    drawn = _draw(catalog.classes, test_share, seed, name="test_share", kind="classes")
    test = np.isin(catalog.labels, drawn)
    return catalog.with_splits(["test" if held else "train" for held in test.tolist()])


def hold_out_classes(catalog: Catalog, *, share: float = 0.1, seed: int) -> tuple[Catalog, Catalog]:
    """Hold out whole classes of a training set at random; the best epoch is chosen on them.

    Only classes with two or more pictures are held out, since retrieval needs a second picture.
    At least two such classes stay on either side.

    Args:
        catalog: The training pictures, e.g. `catalog.split("train")`.
        share: Share of the classes with two or more pictures, between 0 and 1; it is rounded.
        seed: The same seed and classes give the same split.

    Returns:
        The pictures left for training, and those held out for validation.

    Raises:
        CatalogError: The share is out of range, or there are fewer than 4 such classes.
    """
    if share == 0:
        raise CatalogError("share = 0 holds out nothing; to train without validation, pass none")
    several = np.flatnonzero(catalog.counts() >= 2)
    drawn = _draw(several, share, seed, name="share", kind="classes with two or more pictures")
    held = np.isin(catalog.labels, drawn)
    return catalog.subset(~held), catalog.subset(held)


def shared_classes(catalog: Catalog) -> tuple[str, ...]:
    """Return the names of the classes that are in both "train" and "test"."""
    splits = np.array(catalog.splits, dtype=object)
    train, test = (catalog.labels[splits == name] for name in ("train", "test"))
    return tuple(catalog.class_names[code] for code in np.intersect1d(train, test).tolist())


def require_disjoint(catalog: Catalog, *, allow_closed_set: bool = False) -> tuple[str, ...]:
    """Refuse a catalog with classes that are both trained and tested on.

    A model finds the pictures of a class that it has seen more easily than those of a new class.
    So the figures say little about new classes, and cannot be compared with published ones.

    Args:
        catalog: With splits "train" and "test".
        allow_closed_set: Only warn, for a task whose classes are known beforehand.

    Returns:
        The names of the classes that are shared.

    Raises:
        CatalogError: Classes are shared, and that is not allowed.
    """
    shared = shared_classes(catalog)
    if shared:
        message = (
            f"{catalog.root}: classes in train and in test: {count_and_list(shared)}; figures will "
            f"not tell how a model does on new classes"
        )
        if not allow_closed_set:
            raise CatalogError(f"{message}. Split by class, or allow a closed set explicitly")
        warnings.warn(message, stacklevel=2)
    return shared


def _draw(
    classes: Int64[np.ndarray, " c"], share: float, seed: int, *, name: str, kind: str
) -> Int64[np.ndarray, " k"]:
    count = len(classes)
    if not 0 < share < 1:
        raise CatalogError(f"{name} = {share}: it must lie between 0 and 1, both excluded")
    if count < 2 * FEWEST:
        raise CatalogError(
            f"{count} {kind} cannot be split: {FEWEST} are needed on either side, {2 * FEWEST} "
            f"in all"
        )
    drawn = min(max(round(share * count), FEWEST), count - FEWEST)
    return np.random.default_rng(seed).permutation(classes)[:drawn]
