"""Names as figures and pages show them: short, printable, and with places for line breaks."""


def shortened(text: str, most: int) -> str:
    """Shorten a text from its start: the end of a path says most.

    >>> shortened("birds/finch/007.jpg", 14), shortened("007.jpg", 14)
    ('…finch/007.jpg', '007.jpg')
    """
    return text if len(text) <= most else f"…{text[1 - most :]}"


def broken(label: str) -> str:
    """Write a file's name with spaces, at which lines can be broken.

    >>> broken("red_finch/007.jpg")
    'red finch / 007.jpg'
    """
    return label.replace("/", " / ").replace("_", " ")


def printable(text: str) -> str:
    """Return a name that can be written: a path may have bytes that are not text."""
    return text.encode("utf-8", "replace").decode("utf-8")
