"""What limits the numbers of a comparison, as far as its pictures tell."""

from lookalike.data import Catalog, shared_classes
from lookalike.data.benchmarks import BENCHMARKS


def cautions(catalog: Catalog, benchmark: str | None = None) -> tuple[str, ...]:
    """Say what a reader must know of the pictures, a sentence each; usually nothing.

    Args:
        catalog: All pictures of the comparison.
        benchmark: Short name of the benchmark that they are said to be.
    """
    said = []
    if not catalog.split_names:
        said.append(
            "The pictures have no split of their own: each seed divides the classes anew, and the "
            "spreads are over divisions too."
        )
    if shared := shared_classes(catalog):
        said.append(
            f"WARNING: {len(shared)} classes are in train and in test: the numbers say little "
            "about classes that a model has never seen."
        )
    if benchmark is not None:
        whole = sum(part.images for part in BENCHMARKS[benchmark].published)
        if len(catalog) != whole:
            said.append(
                f"WARNING: {len(catalog)} of {whole} pictures of {BENCHMARKS[benchmark].title} "
                "are there: the numbers cannot be held against published ones."
            )
    return tuple(said)
