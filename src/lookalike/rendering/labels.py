"""Names as figures and pages show them: short, and where they can be broken into lines."""


def shortened(text: str, most: int) -> str:
    """Return a text's last characters where it is too long, as the end of a path tells most.

    >>> shortened("birds/finch/007.jpg", 14), shortened("007.jpg", 14)
    ('…finch/007.jpg', '007.jpg')
    """
    return text if len(text) <= most else f"…{text[1 - most :]}"


def broken(label: str) -> str:
    """Write a file's name so that it can be broken into lines.

    >>> broken("red_finch/007.jpg")
    'red finch / 007.jpg'
    """
    return label.replace("/", " / ").replace("_", " ")


def printable(text: str) -> str:
    """Return a name that can be written: a path may hold bytes that are no text."""
    return text.encode("utf-8", "replace").decode("utf-8")
