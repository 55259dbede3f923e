"""Moving pictures on the network's input, and undoing the move on a map."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True, slots=True)
class Move:
    """A move of what is at p to `scale · p + shift`; p is mirrored left to right first if flipped.

    Places are from −1 to 1, left to right and top to bottom.

    Args:
        shift: Right and down, for each picture.
        scale: Of the object; above 0.
        flip: Mirror it.
    """

    shift: Float[Tensor, "n 2"]
    scale: float = 1.0
    flip: bool = False

    def _forward(self) -> Float[Tensor, "n 2 3"]:
        linear = torch.diag(torch.tensor([-self.scale if self.flip else self.scale, self.scale]))
        return torch.cat([linear.expand(len(self.shift), 2, 2), self.shift[..., None]], dim=2)

    def _backward(self) -> Float[Tensor, "n 2 3"]:
        forward = self._forward()
        inverse = torch.linalg.inv(forward[..., :2])
        return torch.cat([inverse, -inverse @ forward[..., 2:]], dim=2)

    def images(
        self, images: Float[Tensor, "n 3 s s"], background: Float[Tensor, " 3"]
    ) -> Float[Tensor, "n 3 s s"]:
        """Move pictures; uncovered ground shows the background."""
        ground = background.to(images)[:, None, None]
        # Outside the picture is zero, so the background is zero during the move.
        return _sample(images - ground, self._backward(), padding="zeros") + ground

    def undo(
        self, maps: Float[Tensor, "n h w"]
    ) -> tuple[Float[Tensor, "n h w"], Bool[Tensor, "n h w"]]:
        """Move maps of moved pictures back to where the pictures were.

        Returns:
            The maps, and which of their cells were wholly inside the moved picture.
        """
        height, width = maps.shape[1:]
        back = _sample(maps[:, None], self._forward(), padding="border")[:, 0]
        places = _places(self._forward(), height, width)
        limit = 1 - 1 / torch.tensor([width, height]) + 1e-4  # the centre of the outermost cells
        return back, (places.abs() <= limit).all(dim=3)


def _places(theta: Float[Tensor, "n 2 3"], height: int, width: int) -> Float[Tensor, "n h w 2"]:
    return functional.affine_grid(theta, [len(theta), 1, height, width], align_corners=False)


def _sample(
    values: Float[Tensor, "n c h w"], theta: Float[Tensor, "n 2 3"], *, padding: str
) -> Float[Tensor, "n c h w"]:
    places = _places(theta, *values.shape[2:]).to(values)
    return functional.grid_sample(
        values, places, mode="bilinear", padding_mode=padding, align_corners=False
    )
