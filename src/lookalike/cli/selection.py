"""Which part of a catalog a command works on."""

from lookalike.data import Catalog


def chosen_split(catalog: Catalog, split: str | None) -> Catalog:
    """Return the split asked for; without one, "test" where there is one, else everything.

    Raises:
        CatalogError: There is no such split.
    """
    if split == "all":
        return catalog
    if split is None:
        return catalog.split("test") if "test" in catalog.split_names else catalog
    return catalog.split(split)
