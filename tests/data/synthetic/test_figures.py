import numpy as np
import pytest
from PIL import Image

from lookalike.data.synthetic.figures import (
    FIGURE_PARTS,
    KINDS,
    Kinds,
    PartsSpec,
    combinations,
    draw,
    drawings,
    masks_of,
    read_masks,
    write_parts,
)
from lookalike.errors import UsageError

NTH = [Kinds(*(list(KINDS[part])[i] for part in FIGURE_PARTS)) for i in range(5)]


def swapped(kinds, part, kind):
    return Kinds(**{p: kind if p == part else getattr(kinds, p) for p in FIGURE_PARTS})


def grown(mask):
    """A mask and the pixels around it."""
    padded = np.pad(mask, 1)
    h, w = mask.shape
    return np.any([padded[y : y + h, x : x + w] for y in range(3) for x in range(3)], axis=0)


@pytest.mark.parametrize("kinds", NTH, ids=str)
@pytest.mark.parametrize("size", [32, 96])
def test_masks_are_disjoint_and_all_parts_can_be_seen(kinds, size):
    drawing = draw(kinds, seed=3, size=size)
    assert drawing.picture.size == (size, size)
    assert drawing.picture.mode == "RGB"
    assert tuple(masks_of(drawing.codes)) == FIGURE_PARTS
    masks = np.stack(list(masks_of(drawing.codes).values()))
    assert masks.shape == (4, size, size)
    assert masks.sum(0).max() == 1
    shares = dict(zip(FIGURE_PARTS, masks.mean((1, 2)), strict=True))
    marking = shares.pop("marking")
    assert marking == 0 if kinds.marking == "none" else marking > 0.003
    assert min(shares.values()) > 0.01


@pytest.mark.parametrize("part", FIGURE_PARTS)
@pytest.mark.parametrize("seed", range(3))
def test_only_the_pixels_of_a_part_change_with_its_kind(part, seed):
    reference = draw(NTH[0], seed=seed)
    before = masks_of(reference.codes)
    for kind in list(KINDS[part])[1:]:
        other = draw(swapped(NTH[0], part, kind), seed=seed)
        changed = np.any(np.asarray(reference.picture) != np.asarray(other.picture), axis=-1)
        after = masks_of(other.codes)
        allowed = grown(before[part]) | grown(after[part])
        if part == "body":  # a marking ends where the body does
            allowed |= grown(before["marking"]) | grown(after["marking"])
        assert changed.sum() > 20
        # A sliver of a limb beside the body can be too thin to win any pixel.
        assert (changed & ~allowed).sum() <= 4, kind
        # And nearly all of what belongs to a part in one drawing alone looks different.
        alone = before[part] & ~np.any(list(after.values()), axis=0)
        assert changed[alone].mean() > 0.9 if alone.any() else True


def test_masks_lie_on_the_colour_of_the_kind():
    drawing = draw(Kinds("square", "box", "stub", "none"), seed=1)
    pixels = np.asarray(drawing.picture).astype(float)
    masks = {part: mask for part, mask in masks_of(drawing.codes).items() if mask.any()}
    median = {part: np.median(pixels[mask], axis=0) for part, mask in masks.items()}
    # Amber, green and maroon, whatever the light: the order of red, green and blue tells them.
    assert np.argsort(median["head"]).tolist() == [2, 1, 0]
    assert np.argmax(median["body"]) == 1
    assert np.argmax(median["limbs"]) == 0
    assert median["limbs"][1] < median["head"][1] / 2


@pytest.mark.parametrize("seed", range(12))
def test_figures_stay_on_the_picture(seed):
    covered = draw(NTH[4], seed=seed, size=64).codes > 0
    edge = np.concatenate([covered[0], covered[-1], covered[:, 0], covered[:, -1]])
    assert not edge.any()


def test_drawings_depend_on_their_seed_alone():
    one, same, other = (draw(NTH[1], seed=s) for s in (5, 5, 6))
    assert np.array_equal(one.picture, same.picture)
    assert not np.array_equal(one.picture, other.picture)
    spec = PartsSpec(size=32)
    first = list(drawings(classes=3, images_per_class=2, seed=4, spec=spec))
    again = list(drawings(classes=3, images_per_class=2, seed=4, spec=spec))
    more = list(drawings(classes=3, images_per_class=4, seed=4, spec=spec))
    assert all(np.array_equal(a.picture, b.picture) for a, b in zip(first, again, strict=True))
    assert [np.array_equal(a.picture, more[i].picture) for a, i in zip(first, (0, 1, 4, 5, 8, 9),
            strict=True)] == [True] * 6  # fmt: skip
    assert len({d.picture.tobytes() for d in first}) == 6


def test_combinations_are_different_and_all_can_be_had():
    spec = PartsSpec(variants=2)
    every = combinations(16, seed=0, spec=spec)
    assert len(set(map(str, every))) == 16
    assert combinations(16, seed=0, spec=spec) == every
    assert combinations(16, seed=1, spec=spec) != every
    for wrong in (0, 17):
        with pytest.raises(UsageError, match="1 to 16"):
            combinations(wrong, seed=0, spec=spec)


def test_an_unknown_kind_is_named():
    with pytest.raises(UsageError, match="no body is 'cube': take one of egg, box"):
        Kinds("round", "cube", "stick", "dots")


def test_written_pictures_come_back_with_their_masks_and_splits(tmp_path):
    spec = PartsSpec(size=32, variants=3)
    options = {"classes": 5, "images_per_class": 3, "seed": 2}
    catalog = write_parts(tmp_path / "new" / "parts", **options, test_share=0.4, spec=spec)
    assert len(catalog) == 15
    assert len(catalog.class_names) == 5
    train, test = catalog.split("train"), catalog.split("test")
    assert (len(train), len(test)) == (9, 6)
    assert not set(train.labels.tolist()) & set(test.labels.tolist())
    for i, drawing in enumerate(drawings(**options, spec=spec)):
        assert catalog.class_name(i) == str(drawing.kinds)
        with Image.open(catalog.path(i)) as picture:
            assert np.array_equal(np.asarray(picture), np.asarray(drawing.picture))
        masks = read_masks(catalog.path(i))
        assert all(
            np.array_equal(masks[part], masks_of(drawing.codes)[part]) for part in FIGURE_PARTS
        )
