"""Masks of an ensemble: what each learner lets through, as a mean and channel by channel."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.errors import UsageError
from lookalike.model import Model, evaluating
from lookalike.rendering.overlays import Array

MOST_CHANNELS = 3
"""Channels that are shown one by one if none were asked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Masks:
    """The masks of some learners on some pictures; every value is in (0, 1).

    Args:
        channels: Numbers of the channels that are shown one by one.
        channels_in_all: How many channels a mask has.
        means: Over all channels, pictures × learners × height × width.
        single: Of the chosen channels, pictures × learners × channels × height × width.
    """

    channels: tuple[int, ...]
    channels_in_all: int
    means: Array
    single: Array

    @property
    def ranges(self) -> tuple[tuple[float, float], ...]:
        """The lowest and the highest of the means, then of each channel, over all pictures."""
        shown = [self.means, *(self.single[:, :, place] for place in range(len(self.channels)))]
        return tuple((float(values.min()), float(values.max())) for values in shown)


@torch.no_grad()
def look_at_masks(
    model: Model,
    images: Float[Tensor, "n 3 s s"],
    *,
    groups: Sequence[int],
    channels: Sequence[int] | None = None,
) -> Masks | None:
    """Return the masks of a model on a few pictures; None if its head has none.

    Args:
        model: Whose masks.
        images: Normalised pixels.
        groups: The learners to show.
        channels: To show one by one. None is those whose masks differ most between learners.

    Raises:
        UsageError: The masks have no such channel.
    """
    with evaluating(model):
        every = model.head.breakdown(model.features(images.to(model.device))).masks
    if every is None:
        return None
    masks = every[:, list(groups)].cpu()
    count = masks.shape[2]
    if missing := [channel for channel in channels or () if not 0 <= channel < count]:
        raise UsageError(f"there is no channel {missing[0]}: the masks have 0 to {count - 1}")
    chosen = _most_different(masks) if channels is None else tuple(dict.fromkeys(channels))
    return Masks(
        channels=chosen,
        channels_in_all=count,
        means=masks.mean(dim=2).double().numpy(),
        single=masks[:, :, list(chosen)].double().numpy(),
    )


def _most_different(masks: Float[Tensor, "n g c h w"]) -> tuple[int, ...]:
    """Choose the channels for which learners differ most in the positions that they let through.

    A channel that one learner lets through everywhere and another nowhere shows nothing over a
    picture. So each mask's mean over the picture is subtracted before the variance over learners.
    """
    where = masks - masks.mean(dim=(3, 4), keepdim=True)
    variance = where.var(dim=1, correction=0).mean(dim=(0, 2, 3))
    order = variance.argsort(descending=True, stable=True)
    return tuple(order[:MOST_CHANNELS].tolist())
