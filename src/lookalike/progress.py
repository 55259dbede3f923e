"""How a long piece of work reports how far it is: the one kind of callback for it."""

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Called after each step with the number of steps done and the number of all steps."""


def part_of(progress: Progress | None, number: int, of: int) -> Progress | None:
    """Return the callback for one of several equal pieces of work.

    Args:
        progress: Called for all pieces together; None stays None.
        number: Which piece, from 0.
        of: How many pieces.

    >>> steps = []
    >>> second = part_of(lambda done, total: steps.append((done, total)), 1, 3)
    >>> second(2, 10)
    >>> steps
    [(12, 30)]
    """
    if progress is None:
        return None
    return lambda done, total: progress(number * total + done, of * total)
