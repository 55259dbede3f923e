"""Lower bounds of a graph's distance by matrix products alone (METHODS 3.9).

For one query, the reliability of a node over a gallery lies between its values at the smallest and
the largest certainty that the gallery has there. With the lower ends for p, and 1 − (upper ends)
for what flows down, the coefficients are `c̲_i^l ≤ c_i^l` and depend on the query alone. Hence

    d̲ = Σ c̲ (ẽ − ẽ')² = Σ c̲ẽ² − 2 (c̲ẽ)·ẽ' + c̲·ẽ'²  ≤  d̂.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from lookalike.similarity.graph.inference import GraphSide, Wiring


class GraphBound:
    """Upper bounds of −d̂, tile by tile, that hold for the rounded scores too.

    Rounding, with u half a step of the number format at 1: a sum of N products is off by at most
    N·u times the sum of their absolute values, here at most 6 Σ c̲ẽ² + 4 d̲, as
    ẽ'² ≤ 2ẽ² + 2(ẽ − ẽ')². The sums behind c̲ and d̂ have no negative term and are off by as many
    u as they have steps, in proportion. The last error is that of rounding p, an absolute error of
    a few u, which is multiplied by all that could flow through it. The bound is widened by all
    three.

    Args:
        wiring: The graph.
        query: n pictures.
        gallery: m pictures.
    """

    def __init__(self, wiring: Wiring, query: GraphSide, gallery: GraphSide) -> None:
        self._wiring = wiring
        self._query = query
        self._gallery = gallery
        levels, nodes = len(query.vectors), wiring.scale.shape[1]
        unit = torch.finfo(wiring.scale.dtype).eps / 2
        products = 2 * levels * nodes + 8
        self._of_sums = 6 * products * unit
        self._shrink = 1 - unit * (4 * products + 4 * levels * (nodes + 16))
        self._of_reliability = 64 * unit * levels * self._all_that_could_flow()

    def _all_that_could_flow(self) -> float:
        """Return a bound of Σ w δ over all nodes and pairs, as if every reliability were zero."""
        longest = max(
            float(level.square().sum(1).max())
            for side in (self._query, self._gallery)
            for level in side.vectors
        )
        weight = torch.ones_like(self._query.vectors[0][0])
        most = 1.0
        for edges in self._wiring.edges.flip(0):
            weight = weight @ edges
            most += float(weight.max())
        return 4 * longest * most

    @torch.no_grad()
    def __call__(self, rows: slice, columns: slice) -> Float[Tensor, "n m"]:
        """Return upper bounds of the scores of some queries with some of the gallery.

        The less the certainties of these gallery pictures differ, the tighter they are.
        """
        query, gallery = self._query.rows(rows), self._gallery.rows(columns)
        coefficients = self._coefficients(query, gallery)
        mass = sum(
            (c * x.square()).sum(1) for c, x in zip(coefficients, query.vectors, strict=True)
        )
        assert isinstance(mass, Tensor)
        constant = self._shrink * (self._of_sums - 1) * mass + self._of_reliability
        bounds = constant[:, None].repeat(1, len(gallery))
        for c, x, y in zip(coefficients, query.vectors, gallery.vectors, strict=True):
            c = c * self._shrink
            bounds.addmm_(2 * c * x, y.T).addmm_(c, y.square().T, alpha=-1)
        return bounds

    def _coefficients(self, query: GraphSide, gallery: GraphSide) -> list[Float[Tensor, "n r"]]:
        weight = torch.ones_like(query.vectors[0])
        coefficients = []
        for upper in range(len(self._wiring.edges) - 1, -1, -1):
            lowest, highest = gallery.certainty[upper].aminmax(dim=0)
            scaled = query.certainty[upper] * self._wiring.scale[upper]
            ends = scaled * lowest, scaled * highest
            least = torch.minimum(*ends) + self._wiring.shift[upper]
            most = torch.maximum(*ends) + self._wiring.shift[upper]
            coefficients.append(weight * least.sigmoid())
            weight = (weight * (-most).sigmoid()) @ self._wiring.edges[upper]
        coefficients.append(weight)
        return coefficients[::-1]
