import json

import numpy as np
import pytest
import timm
import torch
from PIL import Image
from torch import nn
from torch.nn.functional import normalize

from lookalike import create_model, heads
from lookalike.data import read_for, to_inputs
from lookalike.errors import ImageError, LookalikeError, UsageError
from lookalike.explanation import Attribution, Explanation, explain, explain_embedder
from lookalike.preprocessing import Preprocessing

SMALL = Preprocessing(size=32, fit="stretch")


class Shift(nn.Module):
    """Tells the mean of each colour in the left and the right half, shifted away from zero."""

    def forward(self, pixels):
        return 2 + nn.functional.adaptive_avg_pool2d(pixels, (1, 2)).flatten(1)


def inputs_of(*pictures):
    return to_inputs([read_for(picture, SMALL) for picture in pictures], SMALL)


@pytest.fixture
def transformer():
    torch.manual_seed(0)
    return timm.create_model(
        "vit_tiny_patch16_224",
        pretrained=False,
        img_size=32,
        depth=2,
        num_classes=0,
        proj_drop_rate=0.5,
    )


def test_a_class_token_transformer_of_timm(transformer, noise):
    """The class token is a sum over no positions; its account adds up within the stated gap."""
    a, b = noise(0), noise(1, 40, 70)
    transformer.train()
    why = explain(transformer, a, b, preprocessing=SMALL, steps=64)
    assert isinstance(why, Attribution)
    assert transformer.training
    assert all(parameter.grad is None for parameter in transformer.parameters())
    transformer.eval()
    with torch.no_grad():
        e, f = normalize(transformer(inputs_of(a, b)))
        blank = normalize(transformer(torch.zeros(1, 3, 32, 32)))[0]
    assert why.score == pytest.approx(float(e @ f), abs=1e-5)
    assert why.at_baseline == pytest.approx((float(blank @ f), float(e @ blank)), abs=1e-5)
    for side in (0, 1):
        assert why.maps[side].shape == (16, 16)
        due = why.score - why.at_baseline[side]
        assert abs(due) > 0.01
        assert why.maps[side].sum() == pytest.approx(due, abs=why.gap + 1e-9)
    assert why.gap == max(why.gaps) < 0.01
    coarse = explain(transformer, a, b, preprocessing=SMALL, steps=2)
    assert coarse.gap > 10 * why.gap


def test_it_is_gradient_of_cosine_times_pixels_added_up_over_cells(noise):
    """The path integral of a small network, summed at many points in float64."""
    a, b = noise(0), noise(1)
    why = explain_embedder(Shift(), a, b, preprocessing=SMALL, steps=256, cells=2)
    x, y = inputs_of(a, b).double()
    means = [2 + nn.functional.adaptive_avg_pool2d(side, (1, 2)).flatten() for side in (x, y)]
    other = means[1] / means[1].norm()
    total = torch.zeros(6, dtype=torch.float64)
    for k in range(2000):
        v = 2 + (k + 0.5) / 2000 * (means[0] - 2)
        v.requires_grad_()
        (gradient,) = torch.autograd.grad(v @ other / v.norm(), [v])
        total += gradient / 2000
    # Each half of a picture holds the cells of one column, each cell half of a half.
    quarters = nn.functional.adaptive_avg_pool2d(x, (2, 2)) / 2
    expected = (total.view(3, 1, 2) * quarters).sum(0)
    np.testing.assert_allclose(why.maps[0], expected, atol=1e-5)
    assert why.gap < 1e-5


def test_the_order_of_the_pictures_only_swaps_the_maps(noise):
    there = explain(Shift(), noise(0), noise(1), preprocessing=SMALL, steps=8)
    back = explain(Shift(), noise(1), noise(0), preprocessing=SMALL, steps=8)
    assert there.score == pytest.approx(back.score)
    np.testing.assert_allclose(there.maps[0], back.maps[1], atol=1e-7)
    assert there.at_baseline == pytest.approx(back.at_baseline[::-1])


def test_pixels_that_are_not_read_get_nothing(noise):
    class LeftHalf(nn.Module):
        def forward(self, pixels):
            return 2 + pixels[..., :16].mean(dim=(2, 3))

    why = explain(LeftHalf(), noise(0), noise(1), preprocessing=SMALL, steps=4)
    for maps in why.maps:
        assert np.abs(maps[:, :8]).max() > 0
        assert np.abs(maps[:, 8:]).max() == 0


def test_the_blur_is_another_start(noise):
    a, b = noise(0), noise(1)
    blur = explain(Shift(), a, b, preprocessing=SMALL, steps=8, baseline="blur")
    assert abs(blur.score - blur.at_baseline[0]) < 0.1 * abs(
        blur.score - explain(Shift(), a, b, preprocessing=SMALL, steps=8).at_baseline[0]
    )
    assert "8 steps from the blurred picture" in str(blur)


def test_pooled_features_of_timm_are_explained_exactly(noise):
    torch.manual_seed(0)
    model = create_model("resnet18", head=heads.Pooled(), preprocessing=SMALL, pretrained=False)
    a, b = noise(0), noise(1)
    why = explain(model, a, b)
    assert isinstance(why, Explanation)
    net = timm.create_model("resnet18", pretrained=False, num_classes=0).eval()
    net.load_state_dict(model.backbone.net.state_dict())
    with torch.no_grad():
        e, f = normalize(net(inputs_of(a, b)))
    assert why.score == pytest.approx(float(e @ f), abs=1e-5)
    assert why.gap < 1e-5


def test_weights_in_float64_are_used_as_they_are(noise):
    net = nn.Sequential(nn.Flatten(), nn.Linear(3 * 32 * 32, 4)).double()
    why = explain(net, noise(0), noise(1), preprocessing=SMALL, steps=2)
    assert np.isfinite(why.score)


def test_what_is_written(tmp_path, noise):
    Image.fromarray(noise(0, 300, 90)).save(tmp_path / "a $5 <b>.png")
    why = explain(Shift(), tmp_path / "a $5 <b>.png", noise(1), preprocessing=SMALL, steps=4)
    for suffix in ("png", "html", "json"):
        why.save(tmp_path / f"why.{suffix}")
    with Image.open(tmp_path / "why.png") as figure:
        assert figure.width > 1000
    record = json.loads((tmp_path / "why.json").read_text())
    assert record["exact"] is False
    assert record["method"] == "integrated_gradients"
    assert (record["steps"], record["baseline"], record["gap"]) == (4, "mean", why.gap)
    first, second = record["pictures"]
    assert first["name"].endswith("a $5 <b>.png")
    assert second["name"] == "picture B"
    assert np.sum(first["map"]) == pytest.approx(
        record["score"] - first["at_baseline"], abs=first["gap"] + 1e-9
    )
    page = (tmp_path / "why.html").read_text()
    assert "approximation" in page
    assert "completeness gap" in page
    assert "a $5 &lt;b&gt;.png" in page
    assert "http" not in page
    assert f"gap          {why.gap:.1e}" in str(why)
    assert "approximate  integrated gradients, 4 steps from the mean colour" in str(why)


def test_the_figure_says_that_it_is_an_approximation(noise):
    figure = explain(Shift(), noise(0), noise(1), preprocessing=SMALL, steps=4).plot()
    words = " ".join(text.get_text() for text in figure.texts)
    assert "approximation by integrated gradients, 4 steps from the mean colour" in words
    assert "completeness gap" in words
    figure.canvas.draw()
    edge = figure.bbox
    for text in figure.texts:
        box = text.get_window_extent()
        assert edge.x0 <= box.x0
        assert box.x1 <= edge.x1


class Gives(nn.Module):
    """Gives whatever a function makes of pixels."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, pixels):
        return self.function(pixels)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x, r"gave \(2, 3, 32, 32\) .* one vector a picture"),
        (lambda x: x.mean((1, 2, 3)), r"gave \(2,\) .* one vector a picture"),
        (lambda x: x.mean((2, 3))[:1], r"gave \(1, 3\) .* one vector a picture"),
        (lambda x: {"vectors": x}, "gave dict .* one vector a picture"),
        (lambda x: x.mean((2, 3)).detach(), "without a gradient"),
        (lambda x: (x.mean((2, 3)) > 0).long(), "without a gradient"),
        (lambda x: x.view(2, 5), r"cannot take pixels of shape \(2, 3, 32, 32\)"),
    ],
)
def test_what_is_no_vector_is_refused(function, message, noise):
    with pytest.raises(UsageError, match=message):
        explain(Gives(function), noise(0), noise(1), preprocessing=SMALL)


def test_a_transformer_of_another_size_is_named(transformer, noise):
    with pytest.raises(UsageError, match=r"VisionTransformer cannot .*preprocessing\.size"):
        explain(transformer, noise(0), noise(1), preprocessing=Preprocessing(size=64))


def test_numbers_that_are_not_finite_name_the_picture(noise):
    def dark_is_infinite(pixels):
        return pixels.mean((2, 3)) / (pixels.amax((1, 2, 3)) > 0)[:, None]

    black = np.zeros((40, 40, 3), np.uint8)
    with pytest.raises(LookalikeError, match=r"picture B: Gives gave .* not finite"):
        explain(Gives(dark_is_infinite), noise(0), black, preprocessing=SMALL)


def test_wrong_requests(tmp_path, noise, graph_of):
    a, b = noise(0), noise(1)
    with pytest.raises(UsageError, match=r"Shift does not say .* pass preprocessing="):
        explain(Shift(), a, b)
    with pytest.raises(UsageError, match="has its own preprocessing"):
        explain(graph_of(-1), a, b, preprocessing=SMALL)
    with pytest.raises(UsageError, match="steps = 0"):
        explain(Shift(), a, b, preprocessing=SMALL, steps=0)
    with pytest.raises(ImageError, match=r"gone\.jpg"):
        explain(Shift(), a, tmp_path / "gone.jpg", preprocessing=SMALL)
    why = explain(Shift(), a, b, preprocessing=SMALL, steps=1)
    with pytest.raises(UsageError, match=r"why\.pdf: an attribution is saved as"):
        why.save(tmp_path / "why.pdf")
    with pytest.raises(LookalikeError, match="cannot be written"):
        why.save(tmp_path / "nowhere" / "why.json")
