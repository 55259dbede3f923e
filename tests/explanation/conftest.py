import numpy as np
import pytest
import torch
from PIL import Image

from lookalike.backbones import Tiny
from lookalike.data import Catalog
from lookalike.explanation import Contribution, Explanation, Pictured
from lookalike.heads import Attentive, Levels
from lookalike.model import Model, ModelConfig, create_model
from lookalike.preprocessing import Geometry, Preprocessing
from lookalike.similarity import Graph
from lookalike.types import FeatureMaps


@pytest.fixture
def why() -> Explanation:
    """A score of 1 made by hand: regions are 1/2, 1/4 and 1/4 − 1/8 + 1/8, the rest 0."""
    regions = np.zeros((4, 2))
    regions[0, 0], regions[0, 1], regions[3, 1] = 0.5, 0.25, 0.25
    wide = Geometry(width=300, height=200, box=(50.0, 0.0, 250.0, 200.0))
    square = Geometry(width=80, height=80, box=(0.0, 0.0, 80.0, 80.0))
    return Explanation(
        score=1.0,
        groups=(Contribution("group 0", 1.25), Contribution("group 1", -0.25)),
        maps=(
            np.array([[[1.0, 0.0], [0.0, 0.25]], [[-0.25, 0.0], [0.0, 0.0]]]),
            np.array([[[0.75, 0.5]], [[-0.25, 0.0]]]),
        ),
        attention=(np.full((2, 2, 2), 0.25), np.full((2, 1, 2), 0.5)),
        regions=regions,
        pictures=(
            Pictured(Image.new("RGB", (300, 200), "white"), wide, "a folder/one.png"),
            Pictured(Image.new("RGB", (80, 80), "white"), square, "a folder/two.png"),
        ),
        percentile_same=41.26,
        percentile_different=99.0,
    )


@pytest.fixture(scope="session")
def assert_laid_out():
    """A function that checks a figure: nothing overlaps, and nothing is cut off."""

    def check(figure) -> None:
        figure.draw_without_rendering()
        width, height = figure.canvas.get_width_height()
        boxes = [axes.get_tightbbox() for axes in figure.axes]
        boxes += [text.get_window_extent() for text in figure.texts if text.get_text()]
        for i, one in enumerate(boxes):
            assert min(one.x0, one.y0) >= 0
            assert one.x1 <= width
            assert one.y1 <= height
            for two in boxes[:i]:
                assert one.x1 <= two.x0 or two.x1 <= one.x0 or one.y1 <= two.y0 or two.y1 <= one.y0

    return check


CELL, CELLS = 5, 8
"""The watcher's map: 8 × 8 cells of 5 pixels."""


class Darkness(torch.nn.Module):
    """A backbone whose map says how dark each cell is, in [0, 1]: what it sees can be drawn."""

    channels, strides, names = (1,), (CELL,), ("darkness",)

    def forward(self, images):
        dark = 1 - images.mean(dim=1, keepdim=True)
        return FeatureMaps((torch.nn.functional.avg_pool2d(dark, CELL),), self.strides)


@pytest.fixture
def watcher() -> Model:
    """Three groups: the first attends to what is dark, the second evenly, the third to light."""
    config = ModelConfig(
        backbone=Tiny(channels=(1,)),
        head=Attentive(groups=3),
        dim=3,
        preprocessing=Preprocessing(
            size=CELL * CELLS, fit="stretch", mean=(0, 0, 0), std=(1, 1, 1), background=(255,) * 3
        ),
    )
    model = config.build().eval()
    model.backbone = Darkness()
    with torch.no_grad():
        model.head.key.weight.fill_(1000)
        model.head.queries.copy_(torch.tensor([[1.0], [0.0], [-1.0]]))
    return model


def drawn(cells) -> Image.Image:
    """Return a white picture with some cells of the watcher's map black."""
    pixels = np.full((CELLS, CELLS), 255, np.uint8)
    for cell in cells:
        pixels[cell] = 0
    return Image.fromarray(pixels.repeat(CELL, 0).repeat(CELL, 1)).convert("RGB")


@pytest.fixture
def album(tmp_path) -> Catalog:
    """Pictures with 4, 1, 2, 3, 5 and 8 dark cells, of classes a, a, a, b, b and c."""
    dark = {"a": (4, 1, 2), "b": (3, 5), "c": (8,)}
    for label, counts in dark.items():
        (tmp_path / "album" / label).mkdir(parents=True)
        for number, count in enumerate(counts):
            cells = [(2, 3 + i) if i < 5 else (6, i) for i in range(count)]
            drawn(cells).save(tmp_path / "album" / label / f"{number}.png")
    return Catalog.from_folder(tmp_path / "album")


@pytest.fixture(scope="session")
def graph_of():
    """A function that makes a random model with a graph over some stages of a tiny network."""

    def make(*stages, seed=0, nodes=12, k=4) -> Model:
        torch.manual_seed(seed)
        model = create_model(
            "tiny",
            head=Levels(stages=stages),
            dim=nodes,
            similarity=Graph(k=k),
            preprocessing=Preprocessing(size=32, resize=40),
        )
        with torch.no_grad():
            model.similarity.alpha.normal_(std=30)
            model.similarity.beta.normal_(std=0.2)
            model.similarity.observe(model.train()(torch.randn(4, 3, 32, 32)))
            model.similarity.settle()
        return model.eval()

    return make


@pytest.fixture(scope="session")
def noise():
    """A function that makes a picture from a seed."""

    def make(seed, width=60, height=44) -> np.ndarray:
        return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)

    return make


@pytest.fixture(scope="session")
def plain() -> Model:
    """A random model of two attentive groups over a tiny network."""
    torch.manual_seed(0)
    return create_model(
        "tiny",
        head=Attentive(groups=2),
        dim=8,
        preprocessing=Preprocessing(size=32, fit="stretch"),
    ).eval()


@pytest.fixture(scope="session")
def shelf(tmp_path_factory) -> Catalog:
    """Nine random pictures, three each of the classes a, b and c."""
    root = tmp_path_factory.mktemp("shelf")
    random = np.random.default_rng(7)
    for label in "abc":
        (root / label).mkdir()
        for number in range(3):
            pixels = random.integers(0, 256, (36, 36, 3), dtype=np.uint8)
            Image.fromarray(pixels).resize((40, 40)).save(root / label / f"{number}.png")
    return Catalog.from_folder(root)
