from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image

from lookalike.comparison import Comparison, Failure, Row
from lookalike.data import Catalog

MakeRow = Callable[..., Row]


@pytest.fixture(scope="session")
def noise(tmp_path_factory) -> Catalog:
    """Forty pictures of noise, four each of ten classes: c0/0.png and so on. Leave them whole."""
    root = tmp_path_factory.mktemp("noise")
    random = np.random.default_rng(0)
    for label in range(10):
        (root / f"c{label}").mkdir()
        for number in range(4):
            pixels = random.integers(0, 255, (30, 40, 3), np.uint8)
            Image.fromarray(pixels).save(root / f"c{label}" / f"{number}.png")
    return Catalog.from_folder(root)


@pytest.fixture
def make_row() -> MakeRow:
    """Give a function that makes a row of "HEAD-LOSS" and a seed from a few measures."""

    def make(variant: str, seed: int = 0, *, measures: dict[str, float], **costs) -> Row:
        head, _, loss = variant.partition("-")
        fields = {
            "recipe": "emoji",
            "head": head,
            "loss": loss or "margin",
            "backbone": "tiny",
            "groups": 4,
            "dim": 512,
            "data": "/somewhere/pictures, split test: 40 pictures of 8 classes",
            "selected_on": "16 held-out training classes",
            "parameters": 2_000_000,
            "flops": 90_000_000,
            "seconds": 60.0,
            "threads": 1,
            "milliseconds_per_image": 2.0,
        }
        return Row(variant=variant, seed=seed, measures=measures, **(fields | costs))

    return make


@pytest.fixture
def comparison(make_row) -> Comparison:
    """Two heads and two losses; R@1 has means and spreads that one can work out by hand.

    single-binomial 0.40 ± 0.02, single-margin 0.50 ± 0.02, gated-binomial 0.60 ± 0.10,
    gated-margin 0.55 ± 0.01; a third seed of gated-margin failed.
    """
    values = {
        "single-binomial": (0.38, 0.40, 0.42),
        "single-margin": (0.48, 0.50, 0.52),
        "gated-binomial": (0.50, 0.60, 0.70),
        "gated-margin": (0.55 - 0.01 / 2**0.5, 0.55 + 0.01 / 2**0.5),
    }
    rows = [
        make_row(
            variant,
            seed,
            measures={
                "recall_at_1": value,
                "recall_at_4": value + 0.2,
                "nmi": 0.8,
                "map_at_r": value / 2,
                "map_dgml": value / 4,
                "map_dgml_cap": 0.75,
            },
            parameters=3_000_000 if variant.startswith("gated") else 2_000_000,
        )
        for variant, own in values.items()
        for seed, value in enumerate(own)
    ]
    failed = Failure("gated-margin/seed-2", "the loss is nan | at <step> 3")
    return Comparison(tuple(rows), (failed,), 0)
