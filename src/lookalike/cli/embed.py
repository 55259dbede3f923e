"""`lookalike embed`: write the embedding of a catalog to a Parquet file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.selection import AllowPartial, ColumnNames, Data, open_catalog, require_folder
from lookalike.cli.settings import Json
from lookalike.errors import UsageError

if TYPE_CHECKING:
    from lookalike.data import Catalog
    from lookalike.model import EmbeddedCatalog


def embed(
    run: Annotated[Path, typer.Argument(help="Run folder with the model.")],
    data: Data,
    out: Annotated[Path, typer.Option(help="Parquet file to write.")],
    split: Annotated[str, typer.Option(help='Only this split, or "all".')] = "all",
    batch_size: Annotated[int, typer.Option(min=1, help="Pictures at once.")] = 128,
    workers: Annotated[int, typer.Option(min=0, help="Processes that read pictures.")] = 0,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out and report pictures that fail.")
    ] = False,
    columns: ColumnNames = None,
    allow_partial: AllowPartial = False,
    as_json: Json = False,
) -> None:
    """Embed pictures: one row each, with path, label, row of the source, and vector.

    The inner product of two vectors is the model's score of the two pictures.
    """
    import json

    from lookalike import checkpoint
    from lookalike.cli.console import bar, complain

    if out.suffix != ".parquet":
        raise UsageError(f"--out {out}: name a file that ends in .parquet")
    require_folder(out)
    catalog = open_catalog(data, columns, split=split, allow_partial=allow_partial)
    model = checkpoint.load(run)
    if not model.similarity.inner_product:
        raise UsageError(
            f"{run}: the score of this model is not an inner product of vectors, so a file of "
            "vectors cannot give it; evaluate, explain and search with the model itself"
        )
    with bar("embedding") as progress:
        embedded = model.embed_catalog(
            catalog,
            batch_size=batch_size,
            workers=workers,
            skip_bad=skip_bad,
            progress=progress,
        )
    vectors = model.similarity.candidates(embedded.embedding)
    if vectors is None:
        raise UsageError(f"{run}: a group of this model has a negative weight; no vector has that")
    write_parquet(out, catalog, embedded, vectors.numpy())
    for failure in embedded.failures:
        complain(f"left out: {failure}")
    summary = {
        "file": str(out),
        "images": len(embedded.rows),
        "numbers": vectors.shape[1],
        "left_out": len(embedded.failures),
    }
    typer.echo(json.dumps(summary) if as_json else f"{len(embedded.rows)} pictures -> {out}")


def write_parquet(
    path: Path, catalog: "Catalog", embedded: "EmbeddedCatalog", vectors: object
) -> None:
    """Write one row a picture: path, label, row of the source, vector."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    from lookalike.files import replace

    rows = embedded.rows.tolist()
    numbers = np.asarray(vectors, dtype=np.float32)
    table = pa.table(
        {
            "path": [str(catalog.path(i)) for i in rows],
            "label": [catalog.class_name(i) for i in rows],
            "row": catalog.rows[rows],
            "vector": pa.FixedSizeListArray.from_arrays(numbers.ravel(), numbers.shape[1]),
        }
    )
    replace(path, lambda unfinished: pq.write_table(table, unfinished))
