"""The recipes of ABE-M and M-heads say what the paper says (METHODS 2), and run."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from lookalike import recipes
from lookalike.backbones import Tiny
from lookalike.config import merge, parse
from lookalike.data import PKBatchSampler, inshop, sop
from lookalike.errors import UsageError
from lookalike.heads import Ensemble, MultiHead
from lookalike.losses import Contrastive, Divergence
from lookalike.recipes import Recipe
from lookalike.recipes.demo import untrained

DATA = ("cub", "cub_cropped", "cars", "cars_cropped", "sop", "inshop")
LEARNERS = (1, 2, 4, 8)
SIDE = 20  # of a picture, pixels


@pytest.mark.parametrize("dim", [64, 512])
@pytest.mark.parametrize("learners", LEARNERS)
def test_learners_share_the_numbers_and_branch_at_inception4(learners, dim):
    abe, heads = recipes.abe(learners, dim=dim), recipes.m_heads(learners, dim=dim)
    assert abe.model.head == Ensemble(groups=learners, branch="inception4")
    assert heads.model.head == MultiHead(groups=learners, branch="inception4")
    assert abe.model.dim == heads.model.dim == dim
    assert dim % learners == 0


def test_a_mask_lies_on_the_480_channels_behind_pool3():
    model = recipes.abe(8).model.build(pretrained=False).eval()
    assert (model.head.groups, model.head.dim) == (8, 64)
    with torch.no_grad():
        maps = model.features(torch.zeros(1, 3, 64, 64))
        assert model.head.breakdown(maps).masks.shape == (1, 8, 480, 4, 4)
        assert model.head.tokens(maps).grids == ((2, 2),)
    names = {name for name, _ in model.backbone.named_children()}
    assert names == {"stages"}
    assert tuple(model.backbone.stages) == ("conv1", "conv2", "inception3")


@pytest.mark.parametrize("make", [recipes.abe, recipes.m_heads])
@pytest.mark.parametrize("data", DATA)
def test_training_is_the_papers(make, data):
    recipe = make(data=data)
    objective, train = recipe.objective, recipe.train
    assert objective.loss == Contrastive(
        squared=True, average="pairs", positive_margin=0.0, negative_margin=1.0
    )
    assert objective.over_groups == "sum"
    assert (train.optimizer.kind, train.optimizer.momentum) == ("sgd", 0.9)
    assert train.classes_per_batch * train.images_per_class == 64
    shown = recipe.model.preprocessing
    assert (shown.fit, shown.resize, shown.size) == ("pad", 256, 224)
    assert shown.use_boxes is data.endswith("_cropped")
    assert (recipe.augmentation.crop, recipe.augmentation.flip) == ("random", 0.5)


def test_only_several_learners_behind_one_network_are_pushed_apart():
    published = Divergence(weight=1.0, margin=1.0, on="embedding", normalisation="paper")
    assert [recipes.abe(m).objective.diversity for m in LEARNERS] == [None, *[published] * 3]
    assert [recipes.m_heads(m).objective.diversity for m in LEARNERS] == [None] * 4


def test_m_heads_differ_in_head_and_divergence_alone():
    abe, heads = recipes.abe(4), recipes.m_heads(4)
    model = heads.model.model_copy(update={"head": abe.model.head})
    objective = heads.objective.model_copy(update={"diversity": Divergence()})
    changes = {"name": abe.name, "model": model, "objective": objective}
    assert heads.model_copy(update=changes) == abe


@pytest.mark.parametrize(
    ("data", "ks"),
    [
        ("cub", (1, 2, 4, 8)),
        ("cars_cropped", (1, 2, 4, 8)),
        ("sop", (1, 10, 100, 1000)),
        ("inshop", (1, 10, 20, 30, 40, 50)),
    ],
)
def test_ranks_are_those_that_are_published(data, ks):
    assert recipes.abe(data=data).evaluation.ks == ks
    assert recipes.m_heads(data=data).evaluation.ks == ks


def test_batches_fit_the_classes_that_validation_leaves():
    """CUB trains on 100 classes, Cars on 98; a tenth of them is held out."""
    train = recipes.abe().train
    for classes in (90, 88):
        sampler = PKBatchSampler(
            np.arange(classes).repeat(58),
            classes_per_batch=train.classes_per_batch,
            images_per_class=train.images_per_class,
            seed=0,
        )
        assert {len(batch) for batch in sampler} == {64}


def test_names_are_found():
    assert recipes.named("abe-2-64-sop") == recipes.abe(2, dim=64, data="sop")
    assert recipes.named("heads-8-512-cub_cropped") == recipes.m_heads(data="cub_cropped")
    patterns = {family.pattern for family in recipes.FAMILIES}
    choices = "{1,2,4,8}-{64,512}-{cub,cub_cropped,cars,cars_cropped,sop,inshop}"
    assert {f"abe-{choices}", f"heads-{choices}"} <= patterns
    with pytest.raises(UsageError, match="did you mean abe-8-512-inshop"):
        recipes.named("abe-8-521-inshop")


def test_a_recipe_written_before_these_keys_is_read_as_it_was():
    recipe = recipes.emoji()
    plain = recipe.model_dump(mode="json")
    del plain["objective"]["over_groups"], plain["objective"]["diversity"]["kind"]
    plain["objective"]["loss"] = {"kind": "contrastive", "squared": True}
    read = parse(Recipe, plain)
    assert read.objective.diversity == recipe.objective.diversity
    assert (read.objective.over_groups, read.objective.loss.average) == ("mean", "each")
    for made in (recipes.abe(), recipes.emoji_ensemble()):
        assert parse(Recipe, made.model_dump(mode="json")) == made


def test_the_demos_ensemble_masks_the_third_stage_of_the_same_network():
    plain, recipe = recipes.emoji(), recipes.emoji_ensemble()
    assert recipes.named("emoji-ensemble") == recipe
    assert recipe.model.backbone == plain.model.backbone
    assert recipe.objective.loss == recipes.abe().objective.loss
    assert recipe.objective.diversity == Divergence(normalisation="mean")
    model = recipe.model.build(pretrained=False).eval()
    assert (model.head.groups, model.head.dim) == (4, 128)
    with torch.no_grad():
        maps = model.features(torch.zeros(2, 3, 96, 96))
        assert len(maps.stages) == 3
        assert model.head.breakdown(maps).masks.shape[:2] == (2, 4)
        assert model.head.tokens(maps).grids == ((6, 6),)
    # before training, the demo pools the map that the learners end in
    pooled = untrained(recipe)
    assert pooled.head.stage == 3


def picture(path: Path, rng: np.random.Generator) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(rng.integers(0, 256, (SIDE, SIDE + 8, 3), dtype=np.uint8)).save(path)


def plant_inshop(root: Path) -> Path:
    """The official tree with 8 items to train on, 20 queries, and 60 items in the gallery."""
    rng = np.random.default_rng(0)
    rows = [(f"id_{i:08}/0{j}_1_front.jpg", i, "train") for i in range(8) for j in range(4)]
    for item in range(8, 68):
        rows.append((f"id_{item:08}/01_1_front.jpg", item, "gallery"))
        if item < 28:
            rows.append((f"id_{item:08}/02_2_side.jpg", item, "query"))
    lines = [f"img/WOMEN/Dresses/{name}  id_{item:08}  {part}   " for name, item, part in rows]
    for line in lines:
        picture(root / "Img" / line.split()[0], rng)
    (root / "Eval").mkdir()
    head = [str(len(rows)), "image_name item_id evaluation_status"]
    (root / "Eval" / "list_eval_partition.txt").write_text("\n".join([*head, *lines, ""]))
    return root


def plant_sop(root: Path) -> Path:
    """The official tree with 8 articles to train on and 12 pictures of 4 others."""
    rng = np.random.default_rng(0)
    parts = {"train": [i // 4 + 1 for i in range(32)], "test": [11319 + i // 3 for i in range(12)]}
    for part, classes in parts.items():
        lines = ["image_id class_id super_class_id path"]
        for number, label in enumerate(classes):
            path = f"bicycle_final/{part}{number}_0.JPG"
            picture(root / path, rng)
            lines.append(f"{number} {label} 1 {path}")
        (root / f"Ebay_{part}.txt").write_text("\n".join([*lines, ""]))
    return root


def small(recipe: Recipe) -> Recipe:
    """Shrink a published recipe to a network and pictures of a test's size."""
    changes = {
        "model": {
            "backbone": Tiny(channels=(4, 6, 8)).model_dump(mode="json"),
            "head": {"branch": "stage2"},
            "dim": 24,
            "preprocessing": {"size": 24, "resize": 28},
        },
        "train": {
            "epochs": 2,
            "classes_per_batch": 3,
            "batches_per_epoch": 3,
            "validation_share": 0.3,
            "workers": 0,
        },
        "evaluation": {"clustering": False, "workers": 0},
    }
    return parse(Recipe, merge(recipe.model_dump(mode="json"), changes))


def recalls(queries, query_labels, gallery, labels, ks):
    """Recall by the book: rank the whole gallery for each query, look for its class."""
    scores = queries @ gallery.T
    order = np.argsort(-scores, axis=1, kind="stable")
    hit = labels[order] == np.asarray(query_labels)[:, None]
    return {k: float(hit[:, :k].any(axis=1).mean()) for k in ks}


@pytest.mark.parametrize("make", [recipes.abe, recipes.m_heads])
def test_inshop_is_queries_in_a_gallery_at_the_published_ranks(tmp_path, make):
    with pytest.warns(UserWarning, match="not the In-Shop"):
        catalog = inshop(plant_inshop(tmp_path / "data"), allow_partial=True)
    recipe = small(make(4, data="inshop"))
    run = recipes.train(recipe, catalog, tmp_path / "run")
    report = run.report
    assert report is not None
    assert (report.mode, report.counts["queries"], report.counts["gallery"]) == ("B", 20, 60)
    ks = (1, 10, 20, 30, 40, 50)
    measured = {name: v for name, v in report.metrics.items() if name.startswith("recall_at_")}
    bounds = {"recall_at_1_worst", "recall_at_1_best"}
    assert set(measured) - bounds == {f"recall_at_{k}" for k in ks}
    test = catalog.split("test")
    e = run.model.embed_catalog(test).embedding.flat().numpy()
    query, gallery = (
        np.array([role == part for role in test.roles]) for part in ("query", "gallery")
    )
    expected = recalls(e[query], test.labels[query], e[gallery], test.labels[gallery], ks)
    assert {k: measured[f"recall_at_{k}"] for k in ks} == expected
    assert expected[1] < expected[20] < expected[50]


def test_sop_at_rank_1000_of_fewer_candidates_means_all_of_them(tmp_path):
    with pytest.warns(UserWarning, match="not the Stanford"):
        catalog = sop(plant_sop(tmp_path / "data"), allow_partial=True)
    run = recipes.train(small(recipes.abe(2, data="sop")), catalog, tmp_path / "run")
    report = run.report
    assert report is not None
    assert (report.mode, report.counts["queries"]) == ("A", 12)
    for rank in (100, 1000):
        # all 11 others are looked at, and two of them are the query's
        assert report.metrics[f"recall_at_{rank}"] == 1
        assert report.metrics[f"precision_at_{rank}"] == pytest.approx(2 / 11)
    assert report.metrics["recall_at_1"] < 1


def test_a_run_pushes_its_learners_apart(tmp_path):
    """Learners behind one network begin alike; the divergence is seen, and comes down."""
    with pytest.warns(UserWarning, match="not the Stanford"):
        catalog = sop(plant_sop(tmp_path / "data"), allow_partial=True)
    recipe = small(recipes.abe(4, data="sop"))
    longer = recipe.train.model_copy(update={"epochs": 6})
    recipes.train(recipe.model_copy(update={"train": longer}), catalog, tmp_path / "run")
    lines = (tmp_path / "run" / "log.jsonl").read_text().splitlines()
    told = [json.loads(line) for line in lines]
    divergence = [line["divergence"] for line in told if "divergence" in line]
    pairs = 6 * 6  # pictures of a batch × pairs of learners
    assert len(divergence) == 6
    assert 0.5 < divergence[0] / pairs <= 1
    assert divergence[-1] < divergence[0]
