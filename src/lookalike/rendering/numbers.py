"""How numbers are written everywhere: digits, minus signs, shares and counts."""

import math

NONE = "–"
"""Written where there is no number."""


def minus(text: str) -> str:
    """Replace every hyphen by a minus sign, in a text that has hyphens in its numbers alone.

    >>> minus("from -1 to 3e-08")
    'from −1 to 3e−08'
    """
    return text.replace("-", "−")


def signed(value: float) -> str:
    """Write a contribution, always with its sign.

    >>> signed(0.25), signed(-0.0314)
    ('+0.250', '−0.031')
    """
    return minus(f"{value:+.3f}")


def number(value: float, digits: int = 3) -> str:
    """Write a number; a dash if it is not a number.

    >>> number(-0.25), number(float("nan"))
    ('−0.250', '–')
    """
    if value != value:
        return NONE
    return minus(f"{value:.{digits}f}")


def significant(value: float) -> str:
    """Write a number with three digits that count, and no exponent.

    >>> significant(0.089478), significant(24.557), significant(4021.3)
    ('0.0895', '24.6', '4021')
    """
    digits = 2 - math.floor(math.log10(abs(value))) if value else 0
    return minus(f"{value:.{max(0, digits)}f}")


def percent(value: float) -> str:
    """Write a share.

    >>> percent(0.934)
    '93 %'
    """
    return minus(f"{100 * value:.0f} %")


def score(value: float) -> str:
    """Write a score.

    >>> score(0.6824), score(-0.33), score(-0.0)
    ('0.682', '−0.330', '0.000')
    """
    return minus(f"{value:z.3f}")


def tiny(value: float) -> str:
    """Write the small difference between sums that should be equal.

    >>> tiny(3.2e-8)
    '3e−08'
    """
    return minus(f"{value:.0e}")


def counted(count: int, word: str) -> str:
    """Write a count with its word.

    >>> counted(1, "cell"), counted(3, "cell")
    ('1 cell', '3 cells')
    """
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
