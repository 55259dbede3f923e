"""Which pictures are trained on, which choose the best epoch, and which are tested."""

from dataclasses import dataclass

from lookalike.data import Catalog, by_class, hold_out_classes, require_disjoint
from lookalike.recipes.recipe import Recipe

VALIDATION_NAMES = ("val", "valid", "validation")


@dataclass(frozen=True, slots=True)
class Division:
    """A catalog, divided into pictures for training, validation and test.

    Args:
        train: Its class codes are those of the model: 0, 1, 2, … without gaps.
        validation: Chooses the best epoch; with None, the last one is kept.
        test: None if there are no test pictures.
        selected_on: What the validation pictures are, in words, for the report.
    """

    train: Catalog
    validation: Catalog | None
    test: Catalog | None
    selected_on: str

    def summary(self) -> dict[str, object]:
        """Return counts of each part, as plain values."""
        parts = {"train": self.train, "validation": self.validation, "test": self.test}
        counts = {
            name: None if part is None else {"images": len(part), "classes": len(part.classes)}
            for name, part in parts.items()
        }
        return {**counts, "selected_on": self.selected_on}


def divide(catalog: Catalog, recipe: Recipe) -> Division:
    """Divide a catalog by its own splits, or by class if it has none.

    The split "train" is trained on, "test" is tested, and "val" chooses the best epoch. Without
    "val", a share of the training classes is held out for that.

    Raises:
        CatalogError: Classes are in train and test, or there are too few to divide.
    """
    if not catalog.split_names:
        catalog = by_class(catalog, test_share=recipe.split.test_share, seed=recipe.seed)
    require_disjoint(catalog, allow_closed_set=recipe.split.allow_closed_set)
    train = catalog.split("train")
    test = catalog.split("test") if "test" in catalog.split_names else None
    named = [name for name in VALIDATION_NAMES if name in catalog.split_names]
    share = recipe.train.validation_share
    validation = None
    selected_on = "nothing: the last epoch is kept"
    if named:
        validation = catalog.split(named[0])
        selected_on = f"the catalog's split {named[0]!r}"
    elif share > 0:
        train, validation = hold_out_classes(train, share=share, seed=recipe.seed)
        selected_on = f"{len(validation.classes)} held-out training classes"
    return Division(train.recoded(), validation, test, selected_on)
