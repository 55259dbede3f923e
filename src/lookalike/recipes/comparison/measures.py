"""What is measured of each run beside its report, where the pictures allow it."""

from lookalike.data import Catalog, has_masks
from lookalike.explanation.information import mutual_information, part_counts
from lookalike.model import Model
from lookalike.recipes.comparison.run import Measure


def measures_for(catalog: Catalog) -> tuple[Measure, ...]:
    """Return what more can be measured on a catalog: on drawn figures, what groups are about."""
    return (part_information,) if has_masks(catalog) else ()


def part_information(model: Model, catalog: Catalog) -> dict[str, float]:
    """Measure how much a group tells of the part that its map peaks on, in bits.

    Args:
        model: Whose groups; with one group it is 0.
        catalog: Pictures that `lookalike.data.write_parts` has drawn.
    """
    return {
        "part_information_attention": mutual_information(
            part_counts(model, catalog, of="attention")
        ),
        "part_information_tokens": mutual_information(part_counts(model, catalog, of="tokens")),
    }
