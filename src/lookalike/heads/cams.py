"""Class activation maps (CAMs) of a graph's nodes, and numbers computed from them (METHODS 3).

A node is a linear function of pooled features. Applied at each position of the map instead, the
same function gives the node's CAM, whose mean over positions is the node itself.
"""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

CertaintyRule = Literal["global", "rowwise"]


def pool(z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n c"]:
    """Return average pooling plus max pooling; of equal maxima the first gets the gradient.

    >>> pool(torch.tensor([[[[1.0, 3.0], [3.0, 1.0]]]]))
    tensor([[5.]])
    """
    flat = z.flatten(2)
    pooled: Tensor = flat.mean(dim=2) + flat.max(dim=2).values
    return pooled


def linearise(z: Float[Tensor, "n c h w"]) -> Float[Tensor, "n c h w"]:
    """Return a map whose mean over positions is `pool(z)`: z plus the max of each channel.

    The max, times the number of positions, is added at its own position; at the first one where
    there are several.

    >>> linearise(torch.tensor([[[[1.0, 3.0], [3.0, 1.0]]]]))[0, 0]
    tensor([[ 1., 15.],
            [ 3.,  1.]])
    """
    flat = z.flatten(2)
    highest, at = flat.max(dim=2, keepdim=True)
    return flat.scatter_add(2, at, highest * flat.shape[2]).view(z.shape)


def shares(
    cams: Float[Tensor, "n r h w"], rule: CertaintyRule = "global"
) -> Float[Tensor, "n r h w"]:
    """Return each CAM above its minimum, divided by its sum: not negative, sums to one.

    Where all values of a CAM are equal, all positions have equal shares.

    Args:
        cams: One map for each node.
        rule: "global" takes the minimum over all positions (the paper), "rowwise" over each row
            of positions (the released code).

    >>> shares(torch.tensor([[[[1.0, 2.0], [4.0, 7.0]]]]))[0, 0]
    tensor([[0.0000, 0.1000],
            [0.3000, 0.6000]])
    >>> shares(torch.tensor([[[[1.0, 2.0], [4.0, 7.0]]]]), "rowwise")[0, 0]
    tensor([[0.0000, 0.2500],
            [0.0000, 0.7500]])
    """
    above = cams - cams.amin(dim=(2, 3) if rule == "global" else 3, keepdim=True)
    total = above.sum(dim=(2, 3), keepdim=True)
    constant = total < torch.finfo(cams.dtype).tiny
    even = 1 / (cams.shape[2] * cams.shape[3])
    return (above / total.masked_fill(constant, 1)).masked_fill(constant, even)


def certainties(
    cams: Float[Tensor, "n r h w"], rule: CertaintyRule = "global"
) -> Float[Tensor, "n r"]:
    """Return how unevenly each node responds: the standard deviation of `shares` over positions.

    The unbiased standard deviation is taken; it is zero for a single position (METHODS 3.4).
    """
    positions = cams.shape[2] * cams.shape[3]
    apart = shares(cams, rule).flatten(2) - 1 / positions  # the mean of shares is 1 / positions
    spread: Tensor = torch.linalg.vector_norm(apart, dim=2) / max(1, positions - 1) ** 0.5
    return spread


def link(cams: Float[Tensor, "n r h w"], below: Float[Tensor, "n s hs ws"]) -> Float[Tensor, "r s"]:
    """Return how alike the nodes of two levels respond: their CAMs' mean cosine (METHODS 3.3).

    The maps of the level below are first averaged down to the size of this level's maps.

    Args:
        cams: One map for each node of a level.
        below: One map for each node of the level below, of the same pictures, at least one.
    """
    resized = functional.adaptive_avg_pool2d(below, (cams.shape[2], cams.shape[3]))
    upper = functional.normalize(cams.flatten(2), dim=2)
    lower = functional.normalize(resized.flatten(2), dim=2)
    return torch.einsum("nrp,nsp->rs", upper, lower) / len(cams)
