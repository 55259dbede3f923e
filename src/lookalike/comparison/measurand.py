"""What a comparison measures of a run beside its report, and what it measures it on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from lookalike.comparison.row import Series
from lookalike.data import Catalog
from lookalike.model import EmbeddedCatalog, Model
from lookalike.recipes.recipe import EvaluationConfig


@dataclass(frozen=True, eq=False)
class Measurand:
    """A trained model and the pictures that it is measured on.

    Args:
        model: The best epoch's.
        catalog: The test pictures; where they have roles, those that have one.
        evaluation: How they are measured.
        seed: The run's, for what is drawn to measure it.
    """

    model: Model
    catalog: Catalog
    evaluation: EvaluationConfig
    seed: int = 0

    @cached_property
    def embedded(self) -> EmbeddedCatalog:
        """The pictures' embedding: made when a measure first asks for it, and shared by all."""
        settings = self.evaluation
        return self.model.embed_catalog(
            self.catalog,
            batch_size=settings.batch_size,
            workers=settings.workers,
            skip_bad=settings.skip_bad,
        )


Measured = Mapping[str, float | Series]
"""Numbers by name, which are columns, and series of numbers, which only the files have."""

Measure = Callable[[Measurand], Measured]
"""Something more to measure of each run."""
