"""What a saliency method of a pair returns: one signed map over each picture."""

from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from jaxtyping import Float
from torch import Tensor

from lookalike.model import Model

Grid = Literal["positions", "pixels"]
"""Which cells a map has: the positions of the network's own maps, or equal squares of pixels."""


@dataclass(frozen=True, slots=True)
class Saliency:
    """Where in each picture of a pair the score comes from, according to one method.

    Values are signed; a higher one means that the cell makes the pair more alike. A map's cells
    divide the network's input evenly; the two grids may differ. The unit depends on the method.

    Args:
        a: Maps over the first pictures, on the CPU.
        b: Maps over the second pictures, on the CPU.
    """

    a: Float[Tensor, "n ha wa"]
    b: Float[Tensor, "n hb wb"]

    def __len__(self) -> int:
        return len(self.a)

    @staticmethod
    def of(a: Tensor, b: Tensor) -> "Saliency":
        """Make one from a network's tensors: detached, float32, on the CPU."""
        return Saliency(a.detach().float().cpu(), b.detach().float().cpu())


@runtime_checkable
class Method(Protocol):
    """Maps pairs of pictures to saliency, row by row.

    The maps of a pair depend on the model and on its two pictures, not on the other pairs of the
    batch. A method changes neither the model's mode nor its parameters and their gradients.
    """

    @property
    def name(self) -> str:
        """What code, files and commands call it."""
        ...

    @property
    def label(self) -> str:
        """What tables and figures call it."""
        ...

    @property
    def grid(self) -> Grid:
        """Which cells its maps have."""
        ...

    @property
    def has_weights(self) -> bool:
        """Whether its maps depend on the model's weights; False for random and other controls."""
        ...

    def __call__(
        self, model: Model, a: Float[Tensor, "n 3 s s"], b: Float[Tensor, "n 3 s s"]
    ) -> Saliency:
        """Explain each pair of normalised pictures."""
        ...
