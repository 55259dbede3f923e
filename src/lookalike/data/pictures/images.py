"""Moved; kept while other rooms change their imports."""

from lookalike.data.catalog.entries import Box as Box
from lookalike.data.pictures.decode import Picture as Picture
from lookalike.data.pictures.decode import decode as decode
from lookalike.data.pictures.decode import size_of as size_of
from lookalike.data.pictures.network_input import (
    cut as cut,
)
from lookalike.data.pictures.network_input import (
    map_to_picture as map_to_picture,
)
from lookalike.data.pictures.network_input import (
    normalise as normalise,
)
from lookalike.data.pictures.network_input import (
    prepare as prepare,
)
from lookalike.data.pictures.network_input import (
    read_for as read_for,
)
from lookalike.data.pictures.network_input import (
    to_inputs as to_inputs,
)
