from importlib.resources import files

import numpy as np
from PIL import Image

from lookalike.data.bundled import demo_catalog
from lookalike.data.catalog.splits import require_disjoint

STYLES = ("noto", "twemoji", "fluent", "openmoji")


def test_320_concepts_in_four_styles_split_by_concept():
    catalog = demo_catalog()
    assert len(catalog) == 1280
    assert len(catalog.class_names) == 320
    assert (catalog.counts() == 4).all()
    for code in catalog.classes.tolist():
        styles = [catalog.groups[i] for i in np.flatnonzero(catalog.labels == code)]
        assert sorted(str(style) for style in styles) == sorted(STYLES)
    assert len(catalog.split("train").classes) == len(catalog.split("test").classes) == 160
    assert require_disjoint(catalog) == ()


def test_pictures_are_there_and_small():
    catalog = demo_catalog()
    for i in range(0, len(catalog), 40):
        with Image.open(catalog.path(i)) as picture:
            assert picture.mode == "RGB"
            assert picture.size in {(64, 64), (72, 72)}


def test_licences_travel_with_the_pictures():
    text = files("lookalike.data").joinpath("emoji", "LICENSES.md").read_text(encoding="utf-8")
    for licence in ("Apache-2.0", "CC-BY-4.0", "CC-BY-SA-4.0", "MIT License"):
        assert licence in text
    for style in STYLES:
        assert f"{style}.png" in text
    assert "Copyright (c) Microsoft Corporation" in text
