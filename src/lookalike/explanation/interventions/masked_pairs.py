"""Scores of pairs when cells of their pictures are hidden."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from lookalike.explanation.interventions.embedding import embed_batches, embed_images
from lookalike.explanation.interventions.masking import Masking, fill_in, hide
from lookalike.model import Model
from lookalike.types import Embedding


@dataclass(frozen=True, slots=True, eq=False)
class MaskedPicture:
    """One picture of each pair, and what is needed to mask it.

    Args:
        images: Normalised pixels.
        filled: What hidden cells show; None where this picture is never masked.
        intact: The embedding of the unchanged pictures.
    """

    images: Float[Tensor, "n 3 s s"]
    filled: Float[Tensor, "n 3 s s"] | None
    intact: Embedding


@dataclass(frozen=True, slots=True, eq=False)
class MaskedPairs:
    """Pairs of pictures whose cells can be hidden; unchanged pictures are embedded once.

    Args:
        model: What scores them.
        a: The first pictures.
        b: The second ones.
        batch_size: Pictures that go through the network at once.
    """

    model: Model
    a: MaskedPicture
    b: MaskedPicture
    batch_size: int

    @staticmethod
    def of(
        model: Model,
        a: Float[Tensor, "n 3 s s"],
        b: Float[Tensor, "n 3 s s"],
        masking: Masking,
        *,
        batch_size: int = 64,
    ) -> "MaskedPairs":
        """Embed both pictures of each pair, and prepare what hidden cells show."""

        def side(images: Float[Tensor, "n 3 s s"], *, masked: bool) -> MaskedPicture:
            filled = fill_in(images, masking) if masked else None
            return MaskedPicture(images, filled, embed_images(model, images, batch_size=batch_size))

        return MaskedPairs(
            model, side(a, masked=masking.of != "b"), side(b, masked=masking.of != "a"), batch_size
        )

    def __len__(self) -> int:
        return len(self.a.images)

    def intact(self) -> Float[Tensor, " n"]:
        """Score the unchanged pairs."""
        return self._pairs(self.a.intact, self.b.intact)

    def scores(
        self, hidden_a: Bool[Tensor, "n k h w"], hidden_b: Bool[Tensor, "n k h w"]
    ) -> Float[Tensor, "n k"]:
        """Score each pair under k masks; where either picture is masked in turn, the mean of both.

        Args:
            hidden_a: Cells of the first picture that are hidden, on any grid.
            hidden_b: Cells of the second.
        """
        shape = hidden_a.shape[:2]
        rows = torch.arange(shape[0]).repeat_interleave(shape[1])
        scores = []
        if self.a.filled is not None:
            scores.append(self._pairs(self._embed(self.a, rows, hidden_a), self.b.intact[rows]))
        if self.b.filled is not None:
            scores.append(self._pairs(self.a.intact[rows], self._embed(self.b, rows, hidden_b)))
        return torch.stack(scores).mean(dim=0).view(shape)

    @torch.no_grad()
    def _pairs(self, left: Embedding, right: Embedding) -> Float[Tensor, " m"]:
        return self.model.similarity.pairs(left, right).double().cpu()

    def _embed(
        self, side: MaskedPicture, rows: Int64[Tensor, " m"], hidden: Bool[Tensor, "n k h w"]
    ) -> Embedding:
        """Embed each picture under each of its masks, all in batches together."""
        batches = zip(
            torch.split(rows, self.batch_size),
            torch.split(hidden.flatten(0, 1), self.batch_size),
            strict=True,
        )
        return embed_batches(self.model, (_masked(side, *batch) for batch in batches))


def _masked(
    side: MaskedPicture, rows: Int64[Tensor, " m"], masks: Bool[Tensor, "m h w"]
) -> Float[Tensor, "m 3 s s"]:
    assert side.filled is not None
    return hide(side.images[rows], side.filled[rows], masks)
