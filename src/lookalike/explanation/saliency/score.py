"""The score of pairs with the history of everything that it is made from.

A graph's certainties carry no gradient in training, where that is a rule of the method. In eval
mode they do, so that a gradient is that of the score that is shown.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from lookalike.explanation.saliency.grid import to_grid
from lookalike.model import Model, evaluating
from lookalike.types import Embedding, Tokens


class PairScore(nn.Module):
    """Pictures in, scores with fixed partners out: a network for methods that explain networks.

    Args:
        network: Its layers can be found in this module.
        embed: Maps pixels to vectors or to an embedding, with history.
        score: Scores two of these, row by row.
        partners: What pictures are scored with.
    """

    def __init__(
        self,
        network: nn.Module,
        embed: Callable[[Tensor], Any],
        score: Callable[[Any, Any], Tensor],
        partners: Tensor | Embedding,
    ) -> None:
        super().__init__()
        self.network, self.embed, self.score, self.partners = network, embed, score, partners

    @staticmethod
    def of_model(model: Model, partners: Embedding) -> "PairScore":
        """Make it of a model, which scores by its own similarity."""
        return PairScore(model, model, partial(score_embeddings, model), partners)

    def forward(
        self, images: Float[Tensor, "m 3 s s"], rows: Int64[Tensor, "*k"]
    ) -> Float[Tensor, " m"]:
        """Score each picture with the partner in its row; one row serves all pictures."""
        every = rows.reshape(-1).expand(len(images))
        scores: Tensor = self.score(self.embed(images), self.partners[every])
        return scores


def pair_scores(
    model: Model, a: Float[Tensor, "n 3 s s"], b: Float[Tensor, "n 3 s s"]
) -> Float[Tensor, " n"]:
    """Score pictures row by row as `similarity.pairs` does, with the history of the pixels.

    Args:
        model: What scores them; in eval mode during the call.
        a: Normalised pixels on the model's device.
        b: Likewise.
    """
    with evaluating(model):
        left, right = model(a), model(b)
    return score_embeddings(model, left, right)


def score_embeddings(model: Model, a: Embedding, b: Embedding) -> Float[Tensor, " n"]:
    """Score embeddings row by row, with history."""
    return model.similarity.pairs(a, b, history=True)


def with_gradient(images: Float[Tensor, "n 3 s s"], device: torch.device) -> Tensor:
    """Return a copy of pixels on a device, for which gradients can be computed."""
    return images.detach().to(device, copy=True).requires_grad_()


@torch.no_grad()
def pair_tokens(
    model: Model, a: Float[Tensor, "n 3 s s"], b: Float[Tensor, "n 3 s s"]
) -> tuple[Tokens, Tokens]:
    """Return the tokens of both pictures of each pair, without history."""
    with evaluating(model):
        left, right = (
            model.head.tokens(model.features(images.to(model.device))) for images in (a, b)
        )
    return left, right


@torch.no_grad()
def input_grid(model: Model, images: Float[Tensor, "n 3 s s"]) -> tuple[int, int]:
    """Return height and width of the exact map: those of the finest tokens of the head."""
    with evaluating(model):
        grids = model.head.tokens(model.features(images[:1].to(model.device))).grids
    return max(h for h, _ in grids), max(w for _, w in grids)


def by_cell(
    model: Model, images: Float[Tensor, "n 3 s s"], values: Float[Tensor, "n 3 s s"]
) -> Float[Tensor, "n h w"]:
    """Add up the values of all pixels and colours in each cell of the exact map."""
    return to_grid(values.sum(dim=1), input_grid(model, images))
