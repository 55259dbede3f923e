"""Do maps follow the object, and stay when nothing of note changes?

Picture A is moved on the network's input, or given noise; B stays. The map of A must move along:
once the move is undone it should be what it was. Where the network's own features do not move with
the object, no exact map does: this measures the model and the method together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.data import Catalog
from lookalike.explanation.interventions.changes import Change, moved, quiet_noise
from lookalike.explanation.measures.maps import embed_images, saliency_of
from lookalike.explanation.measures.measure import Measure, Outcome, Quantity, Study
from lookalike.explanation.measures.pairs import read_pairs, same_class_pairs
from lookalike.explanation.saliency import Method
from lookalike.model import Model
from lookalike.progress import Progress
from lookalike.statistics.bootstrap import Interval, bootstrap_interval
from lookalike.statistics.correlation import Correlations, pearson
from lookalike.types import Embedding

SCALE = 0.8
"""Of the object, where it is made smaller."""
NOISE = 8.0
"""Standard deviation of the strongest noise, in steps of 255."""
QUIET = 0.1
"""How much noise may change the scores, as a share of their standard deviation over the pairs."""


@dataclass(frozen=True, slots=True, eq=False)
class Response:
    """What one change of A does to the maps of A and to the scores.

    Args:
        change: "shift by a cell", "shift by pixels", "flip", "scale" or "noise".
        followed: Pearson's r of the map, the change undone, with the map before, over the cells
            that are inside both times; in [−1, 1], 1 is a map that follows exactly.
        stayed: The same without undoing the change: 1 is a map that takes no notice.
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
    """How steady the maps of one method are.

    Args:
        method: Its name.
        pairs: Rows of the catalog.
        score_spread: Standard deviation of the pairs' scores, to hold changes against.
        noise: Standard deviation of the noise that was quiet enough, in steps of 255.
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


def stability(
    model: Model,
    catalog: Catalog,
    methods: Sequence[Method],
    *,
    count: int = 100,
    scale: float = SCALE,
    noise: float = NOISE,
    seed: int = 0,
    batch_size: int = 64,
) -> tuple[Stability, ...]:
    """Change the first picture of each pair, and see what its maps do.

    The object is shifted by one cell and by about half a cell, each pair in one of the four
    directions at random, mirrored left to right, made smaller about the centre, and given noise,
    halved until the scores change by at most a tenth of their spread. A cell is that of the finest
    map of the methods, so that all of them see the same pictures; what a move leaves free is the
    preprocessing's background.

    Args:
        model: What scores the pairs.
        catalog: Where same-class pairs are drawn from.
        methods: At least one.
        count: Pairs, at most.
        scale: Of the object, above 0; 1 leaves it as it is.
        noise: Standard deviation of the strongest noise, in steps of 255.
        seed: Of pairs, directions and noise.
        batch_size: Pictures that go through the network at once.

    Raises:
        UsageError: No class has two pictures.
        ImageError: A picture cannot be read; it is named.
    """
    pairs = same_class_pairs(catalog, count, seed=seed)
    p = model.preprocessing
    a, b = read_pairs(catalog, pairs, p, batch_size=batch_size)
    before = [saliency_of(method, model, a, b, batch_size=batch_size).a for method in methods]
    scoring = _Scoring.of(model, a, b, batch_size=batch_size)
    cells = max(maps.shape[2] for maps in before)
    noisy, strength = quiet_noise(a, p, strongest=noise, quiet=scoring.quiet, seed=seed)
    changes = [*moved(a, p, cells=cells, scale=scale, seed=seed), noisy]
    clusters = [query for query, _ in pairs]
    score_changes = [
        bootstrap_interval(scoring.changes(change.images).tolist(), clusters=clusters)
        for change in changes
    ]

    def respond(method: Method, maps: Float[Tensor, "n h w"]) -> tuple[Response, ...]:
        after = [
            saliency_of(method, model, change.images, b, batch_size=batch_size).a
            for change in changes
        ]
        return tuple(
            _response(change, maps, changed, score_change, clusters)
            for change, changed, score_change in zip(changes, after, score_changes, strict=True)
        )

    return tuple(
        Stability(method.name, tuple(pairs), scoring.spread, strength, respond(method, maps))
        for method, maps in zip(methods, before, strict=True)
    )


def _response(
    change: Change,
    before: Float[Tensor, "n h w"],
    after: Float[Tensor, "n h w"],
    score_change: Interval,
    clusters: Sequence[int],
) -> Response:
    """Hold the maps after a change against those before."""
    back, inside = change.move.undo(after)
    return Response(
        change.name,
        Correlations(pearson(back, before, inside), clusters),
        Correlations(pearson(after, before, inside), clusters),
        score_change,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Scoring:
    """What changes of the first pictures do to the scores.

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
    def of(
        model: Model, a: Float[Tensor, "n 3 s s"], b: Float[Tensor, "n 3 s s"], *, batch_size: int
    ) -> "_Scoring":
        """Score the pairs as they are."""
        first, fixed = (embed_images(model, each, batch_size=batch_size) for each in (a, b))
        with torch.no_grad():
            return _Scoring(model, fixed, model.similarity.pairs(first, fixed), batch_size)

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
    """What maps do when the object moves."""

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
        found = stability(
            study.model,
            study.catalog,
            study.methods,
            count=study.count,
            seed=study.seed,
            batch_size=study.batch_size,
        )
        return Outcome(found)

    def numbers(self, results: Sequence[Stability]) -> dict[str, float]:
        """Return how well each method's maps follow each change."""
        names = {"shift by a cell": "shift", "flip": "flip", "scale": "scale", "noise": "noise"}
        return {
            f"{names[response.change]}_{each.method}": interval.mean
            for each in results
            for response in each.responses
            if response.change in names and (interval := response.followed.interval)
        }
