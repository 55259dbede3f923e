import numpy as np
import pytest
import torch
from PIL import Image

from lookalike.backbones import EfficientNetLite0, ViT
from lookalike.config import parse
from lookalike.data import Catalog
from lookalike.errors import ConfigError, ImageError, UsageError
from lookalike.heads import Attentive, Ensemble, Levels, MultiHead, Single
from lookalike.model import ModelConfig, create_model
from lookalike.preprocessing import Preprocessing
from lookalike.similarity import Cosine, Graph
from lookalike.types import Embedding


@pytest.fixture
def model():
    torch.manual_seed(0)
    return create_model("tiny", head=Attentive(groups=2), dim=16)


@pytest.fixture
def catalog(tmp_path) -> Catalog:
    rng = np.random.default_rng(0)
    for label in "ab":
        (tmp_path / label).mkdir()
        for i in range(3):
            pixels = rng.integers(0, 255, (70, 50, 3), np.uint8)
            Image.fromarray(pixels).save(tmp_path / label / f"{i}.png")
    return Catalog.from_folder(tmp_path)


def test_paths_pictures_and_arrays_embed_the_same(model, catalog):
    path = catalog.path(0)
    picture = Image.open(path)
    embedding = model.embed([path, str(path), picture, np.asarray(picture)])
    assert len(embedding) == 4
    assert torch.equal(embedding.flat(), embedding.flat()[:1].expand(4, -1))


def test_alone_or_in_a_batch_or_from_a_catalog_is_the_same(model, catalog):
    paths = [catalog.path(i) for i in range(len(catalog))]
    together = model.embed(paths)
    for other in (model.embed(paths, batch_size=1), model.embed_catalog(catalog).embedding):
        assert torch.allclose(other.flat(), together.flat(), atol=1e-5, rtol=0)


def test_embedding_leaves_the_mode_as_it_was(model, catalog):
    model.train()
    model.embed([catalog.path(0)])
    assert model.training
    with pytest.raises(ImageError):
        model.embed([catalog.root / "none.png"])
    assert model.training


def test_bad_pictures_are_named_or_left_out_and_never_replaced(model, catalog):
    catalog.path(2).write_bytes(b"")
    with pytest.raises(ImageError, match=r"2\.png \(row 2\)"):
        model.embed_catalog(catalog)
    embedded = model.embed_catalog(catalog, skip_bad=True, batch_size=2)
    assert embedded.rows.tolist() == [0, 1, 3, 4, 5]
    assert [failure.row for failure in embedded.failures] == [2]
    expected = model.embed([catalog.path(i) for i in (0, 1, 3, 4, 5)])
    assert torch.allclose(embedded.embedding.flat(), expected.flat(), atol=1e-5, rtol=0)


def test_progress_ends_at_the_end(model, catalog):
    calls = []
    model.embed_catalog(catalog, batch_size=4, progress=lambda *done: calls.append(done))
    assert calls == [(4, 6), (6, 6)]


def test_one_picture_alone_is_embedded_as_a_list_of_one(model, catalog):
    path = catalog.path(0)
    expected = model.embed([path]).flat()
    assert expected.shape == (1, 16)
    for picture in (path, str(path), Image.open(path), np.asarray(Image.open(path))):
        assert torch.equal(model.embed(picture).flat(), expected)
    pixels = np.asarray(Image.open(path))
    assert torch.equal(model.embed(np.stack([pixels, pixels])).flat(), expected.expand(2, -1))


def test_an_embedding_as_an_array_has_all_numbers_side_by_side(model, catalog):
    embedding = model.embed([catalog.path(0), catalog.path(1)])
    array = embedding.numpy()
    assert array.dtype == np.float32
    assert np.array_equal(array, embedding.flat().numpy())
    assert embedding.to(torch.bfloat16).numpy().dtype == np.float32
    assert embedding.to(torch.float64).numpy().dtype == np.float64
    assert Embedding.of(torch.ones(1, 2, requires_grad=True)).numpy().tolist() == [[1.0, 1.0]]


def test_a_head_and_a_similarity_that_do_not_fit_are_refused():
    for head, similarity in ((Levels(), Cosine()), (Single(), Graph())):
        with pytest.raises(ConfigError) as caught:
            create_model("tiny", head=head, similarity=similarity)
        assert str(caught.value) == (
            f"head.kind={head.kind} with similarity.kind={similarity.kind}: "
            f"this head goes with similarity.kind={head.similarity}"
        )


@pytest.mark.parametrize("head", [Levels(), Single()], ids=lambda head: head.kind)
def test_without_a_similarity_the_head_gets_the_one_that_fits(head):
    assert create_model("tiny", head=head).config.similarity.kind == head.similarity
    config = parse(ModelConfig, {"backbone": {"kind": "tiny"}, "head": {"kind": head.kind}})
    assert config.similarity.kind == head.similarity
    with pytest.raises(ConfigError, match="head"):
        parse(ModelConfig, {"backbone": {"kind": "tiny"}, "head": {"kind": "none"}})


def test_nothing_to_embed_is_said(model):
    with pytest.raises(UsageError, match="nothing to embed"):
        model.embed([])


def test_parts_that_do_not_fit_are_refused():
    with pytest.raises(ConfigError, match="2 groups"):
        create_model("tiny", head=Attentive(groups=2), dim=1)
    with pytest.raises(ConfigError, match="stage = 5"):
        create_model("tiny", head=Single(stage=5))


def test_preprocessing_is_the_weights_own_unless_given():
    assert create_model("tiny").preprocessing.mean == (0.5, 0.5, 0.5)
    own = Preprocessing(size=48, fit="pad")
    assert create_model("tiny", preprocessing=own).preprocessing == own


def test_the_backbones_own_setting_decides_whether_weights_are_loaded():
    backbone = EfficientNetLite0(pretrained=False, stages=2)
    first, second = (
        create_model(backbone, pretrained=given).backbone.net.conv_stem.weight
        for given in (None, True)
    )
    assert not torch.equal(first, second)


def test_blocks_of_a_transformer_make_the_levels_of_a_graph():
    backbone = ViT(name="vit_tiny_patch16_224", blocks=(0, 1), image_size=32, pretrained=False)
    model = create_model(backbone, head=Levels(stages=("blocks.0", -1)), dim=6).eval()
    images = torch.randn(2, 3, 32, 32)
    with torch.no_grad():
        embedding = model(images)
        summed = model.head.tokens(model.features(images)).embedding()
        scores = model.similarity.matrix(embedding, embedding)
    for level, again in zip(embedding.levels, summed.levels, strict=True):
        assert level.vectors.shape == (2, 6, 1)
        assert torch.allclose(level.vectors, again.vectors, atol=1e-5)
    assert scores[0, 1] < scores[0, 0] == 0


@pytest.mark.parametrize("head", [Ensemble(groups=2), MultiHead(groups=2)], ids=lambda h: h.kind)
def test_a_head_with_branches_takes_over_the_last_stages(head, catalog):
    torch.manual_seed(0)
    model = create_model("tiny", head=head, dim=16)
    assert model.backbone.names == ("stage1",)
    assert model.preprocessing == create_model("tiny").preprocessing
    paths = [catalog.path(i) for i in range(len(catalog))]
    embedding = model.embed(paths)
    assert embedding.levels[0].vectors.shape == (6, 2, 8)
    alone = model.embed(paths, batch_size=1).flat()
    assert torch.allclose(embedding.flat(), alone, atol=1e-5, rtol=0)
    summed = model.tokens(paths).embedding().flat()
    assert torch.allclose(summed, embedding.flat(), atol=1e-5, rtol=0)
    ids = {id(p) for p in model.pretrained_parameters()}
    assert {id(p) for p in model.backbone.parameters()} < ids < {id(p) for p in model.parameters()}


def test_a_backbone_without_stages_in_a_row_has_no_branches():
    with pytest.raises(ConfigError, match="cannot be cut in two"):
        create_model(ViT(name="test_vit"), head=Ensemble(), pretrained=False)


def test_other_heads_leave_the_backbone_whole():
    model = create_model("tiny", head=Single())
    assert model.backbone.names == ("stage1", "stage2", "stage3")
    pretrained, own = model.pretrained_parameters(), list(model.backbone.parameters())
    assert [id(p) for p in pretrained] == [id(p) for p in own]
