"""Do maps follow the object when it moves, and stay when nothing important changes?

Picture A is moved on the network's input, or given noise; B stays. The map of A should move with
it: after the move is undone on the map, it should be what it was. Where the network's own features
do not move with the object, no exact map does: this measures the model and the method together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.explanation.interventions.changes import PictureChange, moved, quiet_noise
from lookalike.explanation.interventions.embedding import embed_images
from lookalike.explanation.measures.interval_text import interval_cell
from lookalike.explanation.measures.measure import (
    Measure,
    Outcome,
    Quantity,
    Study,
    measure_table,
    method_label,
)
from lookalike.model import Model
from lookalike.progress import Progress
from lookalike.rendering.numbers import number
from lookalike.rendering.tables import Table, TableCell
from lookalike.statistics.bootstrap import Interval, bootstrap_interval
from lookalike.statistics.correlation import Correlations, pearson
from lookalike.types import Embedding

SMALLER = 0.8
"""Size of the object where it is made smaller, as a share of its own."""
NOISE = 8.0
"""Standard deviation of the strongest noise, in steps of 255."""
QUIET = 0.1
"""How much noise may change the scores, as a share of their standard deviation over the pairs."""
NAMES = {"shift by a cell": "shift", "flip": "flip", "scale": "scale", "noise": "noise"}
"""The changes whose correlations a comparison stores, and the names of the quantities."""


@dataclass(frozen=True, slots=True, eq=False)
class Response:
    """How the maps of A and the scores respond to one change of A.

    Args:
        change: "shift by a cell", "shift by pixels", "flip", "scale" or "noise".
        followed: Pearson's r of the map after the change, with the change undone, and the map
            before, over the cells that are inside both times; in [−1, 1], 1 follows exactly.
        stayed: The same without undoing the change: 1 is a map that does not respond.
        score_change: |s(A', B) − s(A, B)|, score units.
    """

    change: str
    followed: Correlations
    stayed: Correlations
    score_change: Interval

    def as_dict(self) -> dict[str, Any]:
        """Return plain numbers."""
        return {
            "change": self.change,
            "followed": self.followed.as_dict(),
            "stayed": self.stayed.as_dict(),
            "score_change": self.score_change.as_dict(),
        }


@dataclass(frozen=True, slots=True, eq=False)
class Stability:
    """How stable the maps of one method are.

    Args:
        method: Its name.
        pairs: Rows of the catalog.
        score_spread: Standard deviation of the pairs' scores, to compare changes with.
        noise: Standard deviation of the noise that was weak enough, in steps of 255.
        responses: One for each change.
    """

    method: str
    pairs: tuple[tuple[int, int], ...]
    score_spread: float
    noise: float
    responses: tuple[Response, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return plain numbers."""
        return {
            "method": self.method,
            "pairs": len(self.pairs),
            "score_spread": self.score_spread,
            "noise": self.noise,
            "responses": [response.as_dict() for response in self.responses],
        }


def measure_stability(
    study: Study, *, scale: float = SMALLER, noise: float = NOISE
) -> tuple[Stability, ...]:
    """Change the first picture of each pair, and compare its maps before and after.

    The object is shifted by one cell and by about half a cell, each pair in one of the four
    directions at random; mirrored left to right; made smaller about the centre; and given noise,
    which is halved until the scores change by at most a tenth of their spread. A cell is one of the
    finest map of the methods, so that all of them see the same pictures. Where a move uncovers
    ground, the preprocessing's background is filled in.

    Args:
        study: The methods and the pairs; its seed is also that of directions and noise.
        scale: Size of the smaller object as a share of its own, above 0.
        noise: Standard deviation of the strongest noise, in steps of 255.
    """
    pairs, p, seed = study.pairs, study.model.preprocessing, study.seed
    before = [study.maps(method).a for method in study.methods]
    scoring = _Scoring.of(study)
    cells = max(maps.shape[2] for maps in before)
    noisy, strength = quiet_noise(pairs.a, p, strongest=noise, quiet=scoring.quiet, seed=seed)
    changes = [*moved(pairs.a, p, cells=cells, scale=scale, seed=seed), noisy]
    score_changes = [
        bootstrap_interval(scoring.changes(change.images).tolist(), clusters=pairs.clusters)
        for change in changes
    ]
    return tuple(
        Stability(
            method.name,
            pairs.rows,
            scoring.spread,
            strength,
            tuple(
                _response(
                    change, maps, study.maps(method, a=change.images).a, by_score, pairs.clusters
                )
                for change, by_score in zip(changes, score_changes, strict=True)
            ),
        )
        for method, maps in zip(study.methods, before, strict=True)
    )


def _response(
    change: PictureChange,
    before: Float[Tensor, "n h w"],
    after: Float[Tensor, "n h w"],
    score_change: Interval,
    clusters: Sequence[int],
) -> Response:
    """Compare the maps after a change with those before."""
    back, inside = change.move.undo(after)
    return Response(
        change.name,
        Correlations(pearson(back, before, inside), clusters),
        Correlations(pearson(after, before, inside), clusters),
        score_change,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Scoring:
    """Scores pairs again after their first pictures were changed.

    Args:
        model: What scores.
        fixed: The second pictures.
        scores: Of the first pictures as they are.
        batch_size: Pictures that go through the network at once.
    """

    model: Model
    fixed: Embedding
    scores: Float[Tensor, " n"]
    batch_size: int

    @staticmethod
    def of(study: Study) -> "_Scoring":
        """Score the unchanged pairs."""
        model, size = study.model, study.batch_size
        first = embed_images(model, study.pairs.a, batch_size=size)
        fixed = embed_images(model, study.pairs.b, batch_size=size)
        with torch.no_grad():
            return _Scoring(model, fixed, model.similarity.pairs(first, fixed), size)

    @property
    def spread(self) -> float:
        """Standard deviation over the pairs."""
        return float(self.scores.double().std(correction=0))

    @torch.no_grad()
    def changes(self, images: Float[Tensor, "n 3 s s"]) -> Float[Tensor, " n"]:
        """Return how much each pair's score changes when its first picture is replaced."""
        embedding = embed_images(self.model, images, batch_size=self.batch_size)
        return (self.model.similarity.pairs(embedding, self.fixed) - self.scores).abs()

    def quiet(self, images: Float[Tensor, "n 3 s s"]) -> bool:
        """Say whether the scores stay nearly as they are."""
        return float(self.changes(images).mean()) <= QUIET * self.spread


class StabilityMeasure(Measure[Stability]):
    """How well maps follow an object that moves, for each method."""

    key = "stability"
    label = "stability"
    meaning = (
        "Picture A is shifted, mirrored, made smaller, or given noise that leaves the score nearly "
        "as it is. Pearson's r of its map, the change undone, with the map before: 1 follows "
        "exactly. Small print: r without undoing the change, of a map that takes no notice it is 1."
    )
    heading = "Explanations: stability"
    reading = (
        "1 is a map that follows exactly. Where features do not move with the object no exact map "
        "does: this measures the model and the method together."
    )
    quantities = (
        Quantity(
            "shift",
            "shift",
            "correlation of maps before and after a picture is shifted by a cell, the shift undone",
        ),
        Quantity("flip", "flip", "the same after a picture is mirrored left to right"),
        Quantity("scale", "scale", "the same after what a picture shows is made smaller"),
        Quantity("noise", "noise", "the same after noise that leaves the score nearly as it is"),
    )

    def run(self, study: Study, progress: Progress | None = None) -> Outcome[Stability]:
        """Measure all methods on the same changes."""
        return Outcome(measure_stability(study))

    def numbers(self, results: Sequence[Stability]) -> dict[str, float]:
        """Return how well each method's maps follow each change."""
        return {
            f"{NAMES[response.change]}_{each.method}": interval.mean
            for each in results
            for response in each.responses
            if response.change in NAMES and (interval := response.followed.interval)
        }

    def tables(self, results: Sequence[Stability]) -> tuple[Table, ...]:
        """Return a row for each method and a column for each change."""
        first = results[0]
        rows: list[tuple[TableCell | str, ...]] = [
            (method_label(each.method), *(_response_cell(response) for response in each.responses))
            for each in results
        ]
        changes = (interval_cell(response.score_change) for response in first.responses)
        definition = (
            f"{self.meaning} The noise has a standard deviation of {first.noise:.3g} steps of 255; "
            f"the scores of the pairs one of {first.score_spread:.3g}."
        )
        columns = ("map", *(response.change for response in first.responses))
        rows.append(("change of the score", *changes))
        return (measure_table("Stability", columns, rows, definition),)

    def findings(self, results: Sequence[Stability]) -> tuple[str, ...]:
        """Say how well each method follows the first change."""
        followed = [
            f"{method_label(each.method)} {number(interval.mean)}"
            for each in results
            if (interval := each.responses[0].followed.interval)
        ]
        if not followed:
            return ()
        return (f"Following a {results[0].responses[0].change}: r = {', '.join(followed)}.",)


def _response_cell(response: Response) -> TableCell:
    followed, stayed = response.followed.interval, response.stayed.interval
    small = "" if stayed is None else f"in place {number(stayed.mean)}"
    return TableCell(interval_cell(followed).text, small)
