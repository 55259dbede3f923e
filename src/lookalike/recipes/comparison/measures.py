"""What is measured of each run beside its report, where the model or the pictures allow it."""

from lookalike.data import Catalog, has_masks
from lookalike.evaluation import retrieval
from lookalike.explanation.information import mutual_information, part_counts
from lookalike.model import Model
from lookalike.recipes.comparison.run import Measure


def measures_for(catalog: Catalog) -> tuple[Measure, ...]:
    """Return what more can be measured: of a graph its levels, on drawn figures what groups see."""
    return (level_recalls, part_information) if has_masks(catalog) else (level_recalls,)


def level_recalls(model: Model, catalog: Catalog) -> dict[str, float]:
    """Measure R@1 of each level of a graph alone, as a plain embedding; nothing for other heads.

    Args:
        model: Whose levels.
        catalog: Pictures that are their own gallery.
    """
    if model.head.levels == 1:
        return {}
    embedded = model.embed_catalog(catalog, batch_size=128)
    labels = catalog.labels[embedded.rows.numpy()]
    found = {}
    for number, level in enumerate(embedded.embedding.levels, start=1):
        alone = retrieval(model.similarity.unit_vectors(level)[:, 0], labels, ks=(1,))
        found[f"recall_at_1_of_level_{number}"] = alone.recall_at[1]
    return found


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
