"""Where the receptive field of a map's cell lies: not always centred on the cell as it is drawn."""

import torch

from lookalike.model import Model, evaluating

Offset = tuple[float, float]
"""To the right and down, pixels of a network's input."""

_PICTURES = 16


def receptive_field_offset(
    model: Model, grid: tuple[int, int] | None = None, *, seed: int = 0
) -> Offset:
    """Measure how far the receptive field of a map's cell lies from the middle of the cell.

    A map's cells are drawn as equal squares of the input. A strided convolution with equal padding
    on both sides centres its receptive fields up and left of that, in a ResNet by half a cell in
    all; one that is padded only behind, down and right. The offset is measured on the network with
    its weights: over the pixels of noise pictures, the centre of mass of the squared gradient of
    the middle of the map (a sum of its channels with random signs), relative to the middle of the
    input. For a position that sees most of the input, what would lie beyond the edges is missing.

    Args:
        model: Whose backbone.
        grid: Height and width of the map, which decide the stage, or the learners' own map where
            they branch off; those of the groups' maps if None.
        seed: Of the noise.

    Returns:
        How far to the right and down, pixels of the input.

    Raises:
        ValueError: No map has this size.
    """
    generator = torch.Generator().manual_seed(seed)
    size = model.preprocessing.size
    images = torch.randn(_PICTURES, 3, size, size, generator=generator)
    images = images.to(model.device).requires_grad_()
    with evaluating(model), torch.enable_grad():
        maps = model.features(images)
        known = model.head.breakdown(maps)
        height, width = grid or known.attended.shape[2:]
        # Of several maps of one size the last one counts: the stages come last.
        every = [*known.read, known.attended, *maps.stages]
        fitting = [one for one in every if one.shape[2:] == (height, width)]
        if not fitting:
            sizes = [tuple(one.shape[2:]) for one in every]
            raise ValueError(f"no stage has a map of {height}×{width} cells, they have {sizes}")
        # Along a side of even length the two middle cells: together they are in the middle.
        rows, columns = (slice((cells - 1) // 2, cells // 2 + 1) for cells in (height, width))
        centre = fitting[-1][:, :, rows, columns]
        signs = torch.randint(2, centre.shape[:2], generator=generator).to(centre) * 2 - 1
        total = (centre.sum(dim=(2, 3)) * signs).sum()
        (gradient,) = torch.autograd.grad(total, [images])
    weight = gradient.square().sum(dim=(0, 1)).double()
    weight = weight / weight.sum()
    places = torch.arange(size, dtype=torch.float64, device=weight.device) + 0.5
    across, down = weight.sum(dim=0) @ places, weight.sum(dim=1) @ places
    return float(across) - size / 2, float(down) - size / 2
