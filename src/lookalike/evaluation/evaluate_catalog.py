"""Evaluate a model on a catalog: embed, search, cluster, report."""

from collections.abc import Sequence

import numpy as np

from lookalike.data import Catalog
from lookalike.errors import UsageError
from lookalike.evaluation.clustering import Clustering
from lookalike.evaluation.clustering import clustering as cluster
from lookalike.evaluation.clustering_metrics import CLUSTERING_METRICS
from lookalike.evaluation.report import Report
from lookalike.evaluation.retrieval import Policy, Retrieval, retrieval
from lookalike.model import EmbeddedCatalog, Model
from lookalike.progress import Progress
from lookalike.protocols import Similarity

SHOWN = 5
"""Names that a note lists."""


def evaluate(
    model: Model,
    catalog: Catalog,
    *,
    ks: Sequence[int] = (1, 2, 4, 8),
    batch_size: int = 64,
    workers: int = 0,
    skip_bad: bool = False,
    clustering: bool = True,
    seeds: Sequence[int] = (0, 1, 2),
    progress: Progress | None = None,
    without_positives: Policy = "miss",
) -> Report:
    """Measure how well a model finds pictures of the same class.

    If the catalog names queries and a gallery, queries are searched in the gallery (mode B);
    otherwise every picture is searched among all others (mode A).

    Args:
        model: Embeds and compares.
        catalog: Pictures of classes that the model was not trained on.
        ks: Ranks for recall and precision.
        batch_size: Pictures that go through the network at once.
        workers: Processes that read pictures; 0 reads them here.
        skip_bad: Leave out and report pictures that cannot be read, instead of raising.
        clustering: Whether to run k-means too, on queries and gallery together.
        seeds: Of the k-means runs.
        progress: Called after each batch with the number of embedded pictures and of all.
        without_positives: Whether queries without positives count as missed or are left out.

    Raises:
        ImageError: A picture cannot be read and `skip_bad` is False.
        UsageError: The catalog has queries but no gallery, or a gallery but no queries.
    """
    measured, left_out = with_roles(catalog)
    embedded = model.embed_catalog(
        measured, batch_size=batch_size, workers=workers, skip_bad=skip_bad, progress=progress
    )
    found = retrieve(
        measured, embedded, ks=ks, similarity=model.similarity, without_positives=without_positives
    )
    clusters = _cluster(model, measured, embedded, seeds) if clustering else None
    classes = {measured.class_name(row) for row in embedded.rows.tolist()}
    return Report(
        metrics={**found.metrics, **(_mean_and_spread(clusters) if clusters else {})},
        counts={
            "queries": found.queries,
            "gallery": found.gallery,
            "classes": len(classes),
            "queries_without_positives": found.without_positives,
            "unreadable_pictures": len(embedded.failures),
        },
        mode=found.mode,
        data=_data(measured),
        procedure=_procedure(found, clusters),
        notes=(
            *_trained_on(classes & set(model.class_names), len(classes)),
            *_unusual(measured, embedded, left_out),
            *found.notes,
        ),
    )


def with_roles(catalog: Catalog) -> tuple[Catalog, int]:
    """Keep the queries and the gallery, if a catalog has them, and count the other pictures.

    Raises:
        UsageError: There are queries but no gallery, or a gallery but no queries.
    """
    have = [i for i, role in enumerate(catalog.roles) if role is not None]
    if not have:
        return catalog, 0
    missing = {"query", "gallery"} - set(catalog.roles)
    if missing:
        raise UsageError(
            f"{catalog.root}: no picture has the role {missing.pop()!r}; give queries and gallery "
            "their roles, or no roles at all, to search every picture among all others"
        )
    return catalog.subset(have), len(catalog) - len(have)


def retrieve(
    catalog: Catalog,
    embedded: EmbeddedCatalog,
    *,
    ks: Sequence[int],
    similarity: Similarity | None = None,
    without_positives: Policy = "miss",
) -> Retrieval:
    """Search a catalog's queries in its gallery; without roles, every picture among all others.

    Args:
        catalog: From `with_roles`.
        embedded: The embedding of all or some of its pictures.
        ks: Ranks for recall and precision.
        similarity: Scores the pairs; None is the cosine of the vectors.
        without_positives: Whether queries without positives count as missed or are left out.
    """
    rows = embedded.rows.numpy()
    labels, embedding = catalog.labels[rows], embedded.embedding
    roles = np.array([catalog.roles[row] for row in rows])
    query, gallery = np.flatnonzero(roles == "query"), np.flatnonzero(roles == "gallery")
    if catalog.roles[0] is None:
        return retrieval(
            embedding,
            labels,
            ks=ks,
            similarity=similarity,
            without_positives=without_positives,
        )
    # a file may be listed as both: it must not find itself
    in_gallery = {catalog.paths[rows[place]]: place for place in gallery}
    query_ids = [in_gallery.get(catalog.paths[rows[place]], place) for place in query]
    return retrieval(
        embedding[query.tolist()],
        labels[query],
        embedding[gallery.tolist()],
        labels[gallery],
        ks=ks,
        query_ids=np.array(query_ids),
        gallery_ids=gallery,
        similarity=similarity,
        without_positives=without_positives,
    )


def _cluster(
    model: Model, catalog: Catalog, embedded: EmbeddedCatalog, seeds: Sequence[int]
) -> Clustering:
    vectors = model.similarity.candidates(embedded.embedding)
    if vectors is None:
        vectors = embedded.embedding.flat()
    return cluster(vectors, catalog.labels[embedded.rows.numpy()], seeds=seeds)


def _mean_and_spread(clusters: Clustering) -> dict[str, float]:
    """Return the clustering metrics as a report holds them: all means, then all spreads."""
    over_seeds = [(metric, clusters.metrics[key]) for key, metric in CLUSTERING_METRICS.items()]
    means = {metric.key: values.mean for metric, values in over_seeds}
    return means | {metric.spread().key: values.spread for metric, values in over_seeds}


def _data(catalog: Catalog) -> str:
    splits = f", split {', '.join(catalog.split_names)}" if catalog.split_names else ""
    return f"{catalog.root}{splits}: {len(catalog)} pictures of {len(catalog.classes)} classes"


def _procedure(found: Retrieval, clusters: Clustering | None) -> tuple[str, ...]:
    modes = {
        "A": "mode A: every picture is searched among all others, itself removed by id",
        "B": "mode B: queries are searched in the gallery, the same file removed",
    }
    policies = {
        "miss": "queries without positives count as missed",
        "ignore": "queries without positives are left out of the means",
    }
    order = "ranked by float32 score, then by the lower id"
    if clusters is None:
        return (modes[found.mode], order, policies[found.policy])
    seeds = ", ".join(map(str, clusters.seeds))
    kmeans = (
        f"k-means of {clusters.backend}: {clusters.clusters} clusters, as many as classes, "
        f"{clusters.iterations} iterations, mean over seeds {seeds}"
    )
    return (modes[found.mode], order, policies[found.policy], kmeans)


def _trained_on(shared: set[str], classes: int) -> tuple[str, ...]:
    if not shared:
        return ()
    return (
        f"WARNING: {len(shared)} of {classes} classes were trained on ({_some(sorted(shared))}): "
        "these figures say little about new classes",
    )


def _unusual(catalog: Catalog, embedded: EmbeddedCatalog, left_out: int) -> list[str]:
    notes = []
    if left_out:
        notes.append(f"{left_out} pictures that are neither query nor gallery were left out")
    if embedded.failures:
        reasons = [str(failure) for failure in embedded.failures]
        notes.append(
            f"{len(reasons)} pictures could not be read and were left out: {_some(reasons)}"
        )
    if repeated := len(catalog) - len(set(catalog.paths)):
        notes.append(f"{repeated} pictures are listed more than once")
    return notes


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
