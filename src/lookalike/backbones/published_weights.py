"""Published weights: ask once whether they can be fetched, and if not, say what to do instead."""

import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

from lookalike.errors import WeightsError


def missing_weights(name: str, error: Exception, *, remedy: str) -> WeightsError:
    """Return the error for weights that are not on this machine and cannot be fetched.

    Args:
        name: The network.
        error: The reason.
        remedy: An instruction how to bring the weights here by hand.
    """
    return WeightsError(
        f"the weights of {name!r} are not on this machine and could not be fetched "
        f"({type(error).__name__}). Choose one: {remedy}; take the backbone efficientnet_lite0, "
        "whose weights are installed with lookalike; or set backbone.pretrained=false to start "
        "from random weights"
    )


@contextmanager
def offline_if_unreachable(needed: bool) -> Iterator[None]:
    """Let the client of the model hub use only its cache if the hub cannot be reached.

    Otherwise it would repeat each request for most of a minute before it fails.
    """
    from huggingface_hub import constants

    before = constants.HF_HUB_OFFLINE
    if needed and not before:
        constants.HF_HUB_OFFLINE = not reachable(constants.ENDPOINT)
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before


def reachable(address: str) -> bool:
    """Whether a server answers at this address within five seconds."""
    try:
        urllib.request.urlopen(urllib.request.Request(address, method="HEAD"), timeout=5).close()
    except urllib.error.HTTPError:
        return True  # it answered
    except (OSError, ValueError):
        return False
    return True
