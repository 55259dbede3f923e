"""Outlines of the object parts of drawn figures: polygons around (0, 0), y pointing down."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

Polygon = npt.NDArray[np.float64]
Shape = Callable[[], list[Polygon]]


def ellipse(width: float, height: float, *, at: tuple[float, float] = (0.0, 0.0)) -> Polygon:
    """Return an ellipse with these diameters."""
    return _ring(np.full(48, 0.5)) * (width, height) + at


def box(width: float, height: float, *, at: tuple[float, float] = (0.0, 0.0)) -> Polygon:
    """Return an upright rectangle."""
    return points((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)) * (width / 2, height / 2) + at


def points(*corners: tuple[float, float]) -> Polygon:
    """Return the polygon with these corners."""
    return np.array(corners, np.float64)


def band(path: Sequence[tuple[float, float]], width: float) -> list[Polygon]:
    """Return a line of some width: a quadrangle for each stretch, a disc for each joint."""
    pieces: list[Polygon] = []
    for start, end in zip(np.array(path[:-1]), np.array(path[1:]), strict=True):
        along = (end - start) / np.hypot(*(end - start))
        side = np.array([-along[1], along[0]]) * width / 2
        pieces.append(np.array([start + side, end + side, end - side, start - side]))
    pieces.extend(ellipse(width, width, at=joint) for joint in path)
    return pieces


def _ring(radii: npt.NDArray[np.float64]) -> Polygon:
    """Return the polygon whose corners are at these distances from (0, 0); the first is on top."""
    angles = 2 * np.pi * (np.arange(len(radii)) / len(radii))
    return np.stack([np.sin(angles), -np.cos(angles)], -1) * radii[:, None]


HEADS: dict[str, Shape] = {
    "round": lambda: [ellipse(1.0, 1.0)],
    "square": lambda: [box(0.9, 0.9)],
    "triangle": lambda: [points((0.0, -0.62), (0.6, 0.45), (-0.6, 0.45))],
    "star": lambda: [_ring(np.tile([0.68, 0.34], 5))],
    "eared": lambda: [
        points((-0.5, 0.0), (-0.46, -0.72), (-0.08, -0.35)),
        points((0.5, 0.0), (0.46, -0.72), (0.08, -0.35)),
        ellipse(1.0, 0.9),
    ],
}
"""Heads are about 1 × 1."""

BODIES: dict[str, Shape] = {
    "egg": lambda: [ellipse(1.0, 1.3)],
    "box": lambda: [box(0.9, 1.2)],
    "cone": lambda: [points((-0.2, -0.65), (0.2, -0.65), (0.62, 0.62), (-0.62, 0.62))],
    "hourglass": lambda: [
        points(
            (-0.55, -0.65), (0.55, -0.65), (0.22, 0.0), (0.55, 0.65), (-0.55, 0.65), (-0.22, 0.0)
        )
    ],
    "gem": lambda: [_ring(np.full(6, 0.66))],
}
"""Bodies are about 1 × 1.3."""

LIMBS: dict[str, Shape] = {
    "stick": lambda: band([(0.0, 0.0), (0.0, 0.85)], 0.12),
    "stub": lambda: band([(0.0, 0.0), (0.0, 0.5)], 0.36),
    "zigzag": lambda: band([(0.0, 0.0), (0.2, 0.25), (-0.2, 0.5), (0.2, 0.75), (0.0, 0.95)], 0.11),
    "ball": lambda: [*band([(0.0, 0.0), (0.0, 0.6)], 0.1), ellipse(0.38, 0.38, at=(0.0, 0.75))],
    "fork": lambda: [
        *band([(0.0, 0.0), (0.0, 0.55)], 0.1),
        *band([(-0.24, 0.92), (0.0, 0.55), (0.24, 0.92)], 0.1),
        *band([(0.0, 0.55), (0.0, 0.95)], 0.1),
    ],
}
"""Limbs hang down from (0, 0), about 0.9 long."""

MARKINGS: dict[str, Shape] = {
    "stripes": lambda: [box(2.0, 0.14, at=(0.0, y)) for y in (-0.42, -0.1, 0.22, 0.54)],
    "dots": lambda: [
        ellipse(0.2, 0.2, at=(x, y))
        for x, y in ((-0.24, -0.3), (0.24, -0.3), (0.0, 0.0), (-0.26, 0.3), (0.26, 0.3))
    ],
    "cross": lambda: [box(0.18, 0.75), box(0.6, 0.18)],
    "disc": lambda: [ellipse(0.5, 0.5, at=(0.0, 0.08))],
    "none": list,
}
"""Markings are on the body and end at its edge."""
