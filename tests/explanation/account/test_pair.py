import json

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from torch import nn

from lookalike.calibration import Calibration
from lookalike.errors import ImageError, LookalikeError, UsageError
from lookalike.explanation import GroupNames, explain, explain_pairs
from lookalike.heads import (
    Attentive,
    BranchedHead,
    Ensemble,
    HeadConfig,
    Levels,
    MultiHead,
    Single,
    levels,
)
from lookalike.model import Model, create_model
from lookalike.preprocessing import Preprocessing
from lookalike.similarity import Cosine
from lookalike.types import FeatureMaps, Tokens


@pytest.fixture(
    params=[
        Single(),
        Single(bias=True, stage=1),
        Attentive(groups=1),
        Attentive(groups=4),
        Attentive(groups=3, stage=1),
    ],
    ids=str,
)
def model(request: pytest.FixtureRequest) -> Model:
    return tiny(request.param)


def tiny(head: HeadConfig, *, seed: int = 0) -> Model:
    torch.manual_seed(seed)
    return create_model(
        "tiny", head=head, dim=12, preprocessing=Preprocessing(size=32, resize=40)
    ).eval()


def noise(seed: int, width: int = 60, height: int = 44) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def test_the_number_explained_is_the_number_shown(model):
    a, b = noise(0), noise(1, 40, 70)
    shown = model.similarity.matrix(model.embed([a]), model.embed([b]))
    assert explain(model, a, b).score == pytest.approx(float(shown), abs=1e-6)


def test_parts_add_up(model):
    why = explain(model, noise(0), noise(1, 40, 70))
    groups = len(why.groups)
    assert sum(group.value for group in why.groups) == pytest.approx(why.score, abs=1e-6)
    for maps, attention, grid in zip(why.maps, why.attention, why.grids, strict=True):
        assert maps.shape == attention.shape == (groups, *grid)
        assert maps.dtype == np.float64
        np.testing.assert_allclose(
            maps.sum(axis=(1, 2)), [group.value for group in why.groups], atol=1e-6
        )
        np.testing.assert_allclose(attention.sum(axis=(1, 2)), 1, atol=1e-6)
    assert why.regions.sum() == pytest.approx(why.score, abs=1e-6)
    assert why.gap < 1e-6


@settings(max_examples=10, deadline=None)
@given(
    st.sampled_from([Single(), Single(bias=True), Attentive(groups=2), Attentive(groups=5)]),
    st.integers(0, 2**16),
    st.integers(8, 80),
    st.integers(8, 80),
)
def test_the_gap_is_small_whatever_the_weights_and_shapes(head, seed, width, height):
    model = tiny(head, seed=seed)
    assert explain(model, noise(seed, width, height), noise(seed + 1)).gap < 1e-6


def test_maps_and_regions_equal_the_sums_written_out(model):
    a, b = noise(0), noise(1)
    why = explain(model, a, b)
    left, right = (model.tokens([x]).levels[0][0].double() for x in (a, b))
    groups, positions, _ = left.shape
    for g in range(groups):
        whole = right[g].sum(dim=0)
        for p in range(positions):
            row, column = divmod(p, why.grids[0][1])
            expected = float(left[g, p] @ whole) / groups
            assert why.maps[0][g, row, column] == pytest.approx(expected, abs=1e-9)
    expected = sum(left[g] @ right[g].T for g in range(groups)) / groups
    np.testing.assert_allclose(why.regions, expected, atol=1e-9)
    total = why.matches((0, 1)).sum()
    assert total == pytest.approx(why.maps[0].sum(axis=0)[0, 1], abs=1e-6)


def test_group_weights_are_in_the_account():
    torch.manual_seed(0)
    weights = (0.75, -0.25)
    model = create_model(
        "tiny", head=Attentive(groups=2), dim=8, similarity=Cosine(weights=weights)
    ).eval()
    a, b = noise(0), noise(1)
    cosines = model.similarity.cosines(model.embed([a]), model.embed([b]))[:, 0, 0]
    why = explain(model, a, b)
    expected = [w * float(c) for w, c in zip(weights, cosines, strict=True)]
    assert [group.value for group in why.groups] == pytest.approx(expected, abs=1e-6)
    assert why.gap < 1e-6


def test_tokens_that_are_not_the_embedding_show_in_the_gap(model, monkeypatch):
    honest = model.head.tokens

    def broken(maps):
        tokens = honest(maps)
        return Tokens((tokens.levels[0] * 1.1,), tokens.grids)

    a, b = noise(0), noise(1)
    score = explain(model, a, b).score
    monkeypatch.setattr(model.head, "tokens", broken)
    why = explain(model, a, b)
    assert why.score == score
    assert why.gap == pytest.approx(0.21 * abs(score), rel=1e-3)


@pytest.mark.parametrize(
    ("head", "maker"),
    [
        (Ensemble(groups=2, branch=-1), BranchedHead),
        (MultiHead(groups=2, branch=-1), BranchedHead),
        (Levels(stages=(0, 2)), levels),
    ],
    ids=["ensemble", "multihead", "levels"],
)
def test_so_do_tokens_made_together_with_the_embedding(head, maker, monkeypatch):
    model = tiny(head)
    a, b = noise(0), noise(1)
    honest = explain(model, a, b)
    assert honest.gap < 1e-6
    tokens_of = maker._tokens

    def broken(*args):
        tokens = tokens_of(*args)
        return Tokens(tuple(1.1 * own for own in tokens.levels), tokens.grids, tokens.certainty)

    monkeypatch.setattr(maker, "_tokens", broken)
    why = explain(model, a, b)
    assert why.score == honest.score
    assert why.gap == pytest.approx(0.21 * abs(honest.score), rel=1e-3)


def test_a_pair_swapped_is_the_same_account(model):
    a, b = noise(0), noise(1)
    there, back = explain(model, a, b), explain(model, b, a)
    np.testing.assert_allclose(there.regions, back.regions.T, atol=1e-12)
    np.testing.assert_allclose(there.maps[0], back.maps[1], atol=1e-12)


def test_a_picture_with_itself_scores_one(model):
    why = explain(model, noise(0), noise(0))
    assert why.score == pytest.approx(1, abs=1e-6)
    np.testing.assert_allclose(why.maps[0], why.maps[1])


def test_many_pairs_are_read_and_embedded_once(monkeypatch, tmp_path):
    model = tiny(Attentive(groups=2))
    paths = []
    for seed in range(4):
        Image.fromarray(noise(seed)).save(tmp_path / f"{seed}.png")
        paths.append(tmp_path / f"{seed}.png")
    pairs = [(paths[i], str(paths[j])) for i in range(4) for j in range(4)]
    alone = [explain(model, a, b) for a, b in pairs]
    batches = []
    features = model.features
    monkeypatch.setattr(model, "features", lambda x: batches.append(len(x)) or features(x))
    together = explain_pairs(model, pairs)
    assert batches == [4]
    for one, two in zip(alone, together, strict=True):
        assert one.score == pytest.approx(two.score, abs=1e-6)
        np.testing.assert_allclose(one.regions, two.regions, atol=1e-6)
        assert one.pictures[1].name == two.pictures[1].name
    batches.clear()
    explain_pairs(model, pairs, batch_size=3)
    assert batches == [3, 1]
    assert explain_pairs(model, []) == []


class Brightness(nn.Module):
    """A backbone whose map is the mean colour of 8×8 cells."""

    def forward(self, images):
        return FeatureMaps((nn.functional.adaptive_avg_pool2d(images, 8),), (8,))


def brightness_model(preprocessing):
    """Its embedding is the picture's mean brightness, so its map is where the picture is bright."""
    model = create_model("tiny", preprocessing=preprocessing)
    model.backbone = Brightness()
    model.head = Single().head(3, 1, -1)
    nn.init.ones_(model.head.linear.weight)
    return model.eval()


@pytest.mark.parametrize("size", [(300, 200), (1500, 1000)])
def test_maps_lie_where_the_picture_made_them(size):
    p = Preprocessing(size=64, mean=(0, 0, 0), std=(1, 1, 1))
    model = brightness_model(p)
    scale = size[0] // 300
    picture = Image.new("RGB", size)
    # The network sees x from 50 to 250 of 300; its cells are 25 pixels.
    picture.paste("white", tuple(scale * edge for edge in (200, 50, 250, 100)))
    why = explain(model, picture, np.full((50, 50, 3), 255, dtype=np.uint8))
    assert why.score == pytest.approx(1, abs=1e-6)
    expected = np.zeros((8, 8))
    expected[2:4, 6:8] = 0.25
    np.testing.assert_allclose(why.maps[0][0], expected, atol=0.01)
    np.testing.assert_allclose(why.maps[1][0], 1 / 64, atol=1e-6)
    assert why.matches((200.0 * scale, 50.0 * scale, 250.0 * scale, 100.0 * scale)).sum() > 0.95
    shown = why.pictures[0]
    assert shown.geometry.box == (50.0 * scale, 0, 250.0 * scale, 200.0 * scale)
    assert max(shown.picture.size) == min(640, size[0])


def test_a_large_photo_is_shown_finer_than_it_was_embedded(tmp_path):
    path = tmp_path / "large.jpg"
    Image.fromarray(noise(0, 1600, 1200)).save(path)
    model = tiny(Single())
    why = explain(model, path, path)
    assert why.pictures[0].picture.size == (640, 480)
    assert (why.pictures[0].geometry.width, why.pictures[0].geometry.height) == (1600, 1200)
    shown = model.similarity.pairs(model.embed([path]), model.embed([path]))
    assert why.score == pytest.approx(float(shown), abs=1e-6)


def test_orientation_is_applied_to_the_picture_and_its_geometry(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6  # stored lying on its side
    Image.new("RGB", (60, 30), "red").save(tmp_path / "side.jpg", exif=exif)
    shown = explain(tiny(Single()), tmp_path / "side.jpg", noise(0)).pictures[0]
    assert shown.picture.size == (30, 60)
    assert (shown.geometry.width, shown.geometry.height) == (30, 60)


def test_names():
    model = tiny(Single())
    why = explain(model, noise(0), Image.fromarray(noise(1)))
    assert [shown.name for shown in why.pictures] == ["picture A", "picture B"]


def test_a_name_that_is_no_text_does_not_stop_the_page(tmp_path):
    path = str(tmp_path / "caf\udce9.png")  # a byte that is not UTF-8, as the system hands it over
    Image.fromarray(noise(0)).save(path)
    why = explain(tiny(Single()), path, path)
    why.save(tmp_path / "why.html")
    assert json.loads(why.to_json())["pictures"][0]["name"].endswith("caf?.png")


def test_training_mode_is_left_as_it_was():
    model = tiny(Attentive(groups=2))
    model.train()
    explain(model, noise(0), noise(1))
    assert model.training


def test_what_a_calibration_says_is_passed_on():
    model = tiny(Single())
    assert explain(model, noise(0), noise(1)).percentile_same is None
    model.calibration = Calibration(
        same=(0.0, 1.0),
        different=(-1.0, 1.0),
        same_pairs=10,
        different_pairs=10,
        rates=(0.1,),
        thresholds=(0.8,),
    )
    why = explain(model, noise(0), noise(1))
    assert why.percentile_same == pytest.approx(100 * why.score)
    assert why.percentile_different == pytest.approx(50 + 50 * why.score)


def test_a_missing_picture_is_named(tmp_path):
    with pytest.raises(ImageError, match=r"gone\.jpg"):
        explain(tiny(Single()), noise(0), tmp_path / "gone.jpg")


def test_a_head_without_tokens_is_refused():
    model = tiny(Single())
    model.head = nn.Identity()
    with pytest.raises(UsageError, match="Identity has no tokens"):
        explain(model, noise(0), noise(1))


def test_a_score_that_is_no_number_is_refused():
    model = tiny(Single())
    nn.init.constant_(model.head.linear.weight, float("nan"))
    with pytest.raises(LookalikeError, match="score of picture A and picture B is nan"):
        explain(model, noise(0), noise(1))


def test_the_pixels_are_those_that_embed_sees(monkeypatch):
    seen = []
    model = tiny(Single())
    features = model.features
    monkeypatch.setattr(model, "features", lambda x: seen.append(x) or features(x))
    a, b = noise(0), noise(1, 90, 30)
    model.embed([a, b])
    explain(model, a, b)
    assert torch.equal(seen[0], seen[1])


def test_names_of_groups_are_in_the_explanation(plain, noise):
    names = GroupNames(("ear", None), (0.75, None))
    why = explain(plain, noise(0), noise(1), names=names)
    assert [group.name for group in why.groups] == ["ear (group 0)", "group 1"]
    assert why.groups[0].name_holds == 0.75
    with pytest.raises(UsageError, match="names for 3 groups, but the explanation has 2"):
        explain(plain, noise(0), noise(1), names=GroupNames((None,) * 3))
