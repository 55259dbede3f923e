"""Split the score of one pair in every way that an explanation shows."""

from dataclasses import dataclass

from torch import Tensor

from lookalike.explanation.account.explanation import Array, Contribution
from lookalike.explanation.account.nodes import Nodes, nodes_of
from lookalike.protocols import Described, Similarity


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """One score, taken apart; `Explanation` says what each of these is."""

    groups: tuple[Contribution, ...]
    maps: tuple[Array, Array]
    together: bool
    regions: Array
    nodes: tuple[Nodes, ...] = ()


def split(similarity: Similarity, a: Described, b: Described) -> Split:
    """Split the score of one pair by group, by position and by pair of positions.

    Args:
        similarity: What scores the pair.
        a: The first picture, one row.
        b: The second picture, likewise.
    """
    account = similarity.account(a, b)
    maps = account.maps
    return Split(
        groups=tuple(map(Contribution, account.groups, account.values[0].tolist())),
        maps=(_array(maps.a), _array(maps.b)),
        together=maps.together,
        regions=_array(account.regions),
        nodes=nodes_of(account, (a.tokens, b.tokens)),
    )


def _array(values: Tensor) -> Array:
    array: Array = values[0].double().cpu().numpy()
    return array
