import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from lookalike.backbones import Tiny
from lookalike.comparison import RUN_MEASURES, Measurand, flops, milliseconds_per_image, parameters
from lookalike.comparison.run_measures import (
    learner_recalls,
    level_recalls,
    metric_of,
    part_information,
    self_pair_cosines,
)
from lookalike.data import Catalog, PartsSpec, write_parts
from lookalike.explanation.measures import peak_parts
from lookalike.heads import Attentive, Ensemble, Levels, LinearGroups, Single
from lookalike.model import EmbeddedCatalog, Model, create_model
from lookalike.preprocessing import Preprocessing
from lookalike.recipes import EvaluationConfig
from lookalike.statistics.information import mutual_information
from lookalike.types import Embedding


@pytest.fixture
def catalog(noise) -> Catalog:
    """Three pictures each of four classes."""
    return noise.subset([row for row in range(16) if row % 4 < 3])


def measurand(head, catalog, *, dim=8, ks=(1, 2)) -> Measurand:
    torch.manual_seed(0)
    model = create_model("tiny", head=head, dim=dim, preprocessing=Preprocessing(size=24))
    return Measurand(model, catalog, EvaluationConfig(ks=ks))


def hits(vectors, labels, k) -> float:
    """R@k of unit vectors that are their own gallery, worked out the slow way."""
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -2)
    best = np.argsort(-cosines, axis=1, kind="stable")[:, :k]
    return float((labels[best] == labels[:, None]).any(1).mean())


def test_each_level_is_measured_by_the_cosine_of_its_nodes(catalog):
    run = measurand(Levels(stages=(0, 1, 2)), catalog, dim=6)
    found = level_recalls(run)
    embedding = run.model.embed([catalog.path(i) for i in range(len(catalog))])
    assert len(found) == 3
    for number, level in enumerate(embedding.levels, start=1):
        alone = hits(level.vectors[:, :, 0].numpy(), catalog.labels, 1)
        assert found[f"recall_at_1_of_level_{number}"] == pytest.approx(alone)
        assert f"level {number} " in metric_of(f"recall_at_1_of_level_{number}").meaning


def test_heads_without_levels_or_learners_have_nothing_to_measure(catalog):
    assert level_recalls(measurand(LinearGroups(groups=2), catalog)) == {}
    assert learner_recalls(measurand(Single(), catalog)) == {}
    assert learner_recalls(measurand(LinearGroups(groups=65), catalog, dim=65)) == {}
    assert learner_recalls(measurand(Levels(stages=(0, 1)), catalog)) == {}


@pytest.mark.parametrize("head", [LinearGroups(groups=4), Ensemble(groups=3, branch=-1)])
def test_each_learner_is_measured_alone(catalog, head):
    run = measurand(head, catalog, ks=(2, 4))
    found = learner_recalls(run)
    vectors = run.model.embed([catalog.path(i) for i in range(12)]).levels[0].vectors.numpy()
    for k in (1, 2, 4):
        each = [hits(vectors[:, p], catalog.labels, k) for p in range(head.groups)]
        assert found[f"recall_at_{k}_of_learners"] == pytest.approx(each)
    first = found["recall_at_1_of_learners"]
    assert found["recall_at_1_of_learners_mean"] == pytest.approx(sum(first) / head.groups)
    assert found["recall_at_1_of_learners_lowest"] == min(first)
    assert found["recall_at_1_of_learners_highest"] == max(first)
    cosines = [
        float(picture[p] @ picture[q])
        for picture in vectors
        for q in range(head.groups)
        for p in range(q)
    ]
    assert found["self_pair_cosine_mean"] == pytest.approx(np.mean(cosines), abs=1e-6)
    assert found["self_pair_cosine_deviation"] == pytest.approx(np.std(cosines), abs=1e-6)
    assert sum(found["self_pair_cosine_counts"]) == len(cosines)
    for name in [name for name, value in found.items() if isinstance(value, float)]:
        assert metric_of(name).meaning


def test_learners_are_searched_in_the_gallery_where_there_is_one(catalog):
    """The first picture of each class is a query; the second learner knows the classes."""
    roles = tuple("query" if i % 3 == 0 else "gallery" for i in range(12))
    run = measurand(LinearGroups(groups=2), replace(catalog, roles=roles), dim=16)
    angles = torch.stack([torch.arange(12.0) * 0.3, torch.arange(12) // 3 * 1.5], dim=1)
    vectors = torch.stack([angles.cos(), angles.sin()], dim=2)
    vectors[::3, 0] = -vectors[1::3, 0].roll(1, dims=0)  # a query's nearest is of no fixed class
    # Among all pictures every one of the second learner's finds its class, and so it does here.
    embedded = EmbeddedCatalog(Embedding.of(vectors), torch.arange(12), ())
    run.__dict__["embedded"] = embedded
    first, second = learner_recalls(run)["recall_at_1_of_learners"]
    assert second == 1.0
    queries, gallery = vectors[::3, 0], np.delete(np.arange(12), range(0, 12, 3))
    nearest = gallery[(queries @ vectors[gallery, 0].T).argmax(1).numpy()]
    assert first == np.mean(catalog.labels[nearest] == np.arange(4))


def test_self_pairs_of_four_vectors_by_hand(catalog):
    """Two pictures and three learners; cosines 1, 0, 0 and 0.6, −1, −0.6."""
    x, y, z = [1.0, 0.0], [0.0, 1.0], [0.6, 0.8]
    vectors = torch.tensor([[x, x, y], [x, z, [-1.0, 0.0]]])
    by_hand = torch.tensor([[1.0, 0.0, 0.0], [0.6, -1.0, -0.6]])
    torch.testing.assert_close(self_pair_cosines(vectors), by_hand)
    run = measurand(LinearGroups(groups=3), catalog.subset([0, 1]), dim=6)
    run.__dict__["embedded"] = EmbeddedCatalog(Embedding.of(vectors), torch.arange(2), ())
    found = learner_recalls(run)
    assert found["self_pair_cosine_mean"] == pytest.approx(0.0, abs=1e-7)
    deviation = math.sqrt((1 + 0.36 + 1 + 0.36) / 6)
    assert found["self_pair_cosine_deviation"] == pytest.approx(deviation)
    bins = {bin_: count for bin_, count in enumerate(found["self_pair_cosine_counts"]) if count}
    # Bins of 0.05: −1 begins the first, 0 the 21st, and 1 belongs to the last.
    assert {0: 1, 20: 2, 39: 1}.items() <= bins.items()
    assert sum(bins.values()) == 6
    assert len(found["self_pair_cosine_counts"]) == 40


def test_self_pairs_do_not_depend_on_how_many_are_made_at_once(monkeypatch):
    generator = torch.Generator().manual_seed(0)
    vectors = torch.nn.functional.normalize(torch.randn(50, 5, 3, generator=generator), dim=2)
    whole = self_pair_cosines(vectors)
    monkeypatch.setattr("lookalike.comparison.run_measures.AT_ONCE", 60)
    torch.testing.assert_close(self_pair_cosines(vectors), whole)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory) -> Catalog:
    root = tmp_path_factory.mktemp("parts")
    return write_parts(root, classes=4, images_per_class=2, seed=0, spec=PartsSpec(size=48))


def test_part_information_is_in_bits_and_nothing_for_one_group(drawn):
    small = Preprocessing(size=48, fit="stretch")
    one = create_model(Tiny(), head=Single(), dim=8, preprocessing=small)
    assert part_information(Measurand(one, drawn, EvaluationConfig())) == {
        "part_information_attention": 0.0,
        "part_information_tokens": 0.0,
    }
    two = create_model(Tiny(), head=Attentive(groups=2), dim=8, preprocessing=small)
    measured = part_information(Measurand(two, drawn, EvaluationConfig()))
    _, tokens = peak_parts(two, drawn)
    assert tokens.counts.sum() == 2 * len(drawn)
    assert 0 <= measured["part_information_tokens"] <= 1  # two groups: one bit at most


def test_part_information_takes_cells_where_they_are_drawn(drawn):
    torch.manual_seed(0)
    small = Preprocessing(size=48, fit="stretch")
    model = create_model(Tiny(), head=Attentive(groups=3), dim=9, preprocessing=small)
    attention, tokens = peak_parts(model, drawn, offset=(0.0, 0.0))
    told = part_information(Measurand(model, drawn, EvaluationConfig()))
    assert told["part_information_attention"] == mutual_information(attention.counts)
    assert told["part_information_tokens"] == mutual_information(tokens.counts)
    moved, _ = peak_parts(model, drawn)
    assert moved.information != attention.information


def test_without_masks_there_is_no_part_information(catalog):
    assert part_information(measurand(LinearGroups(groups=2), catalog)) == {}


def test_the_pictures_are_embedded_once_for_all_measures(catalog, monkeypatch):
    calls = []
    embed = Model.embed_catalog
    monkeypatch.setattr(
        Model,
        "embed_catalog",
        lambda model, pictures, **rest: calls.append(rest) or embed(model, pictures, **rest),
    )
    run = Measurand(
        create_model("tiny", head=Single(), dim=8, preprocessing=Preprocessing(size=24)),
        catalog,
        EvaluationConfig(batch_size=7),
    )
    assert calls == []  # nobody has asked
    assert run.embedded is run.embedded
    assert calls == [{"batch_size": 7, "workers": 0, "skip_bad": False}]


def test_every_number_of_every_measure_is_described(catalog, drawn):
    """All entries of the registry, on heads and pictures to which they apply."""
    runs = [
        measurand(Levels(stages=(0, 1)), catalog, dim=6),
        measurand(LinearGroups(groups=2), catalog),
        measurand(Attentive(groups=2), drawn),
    ]
    for measure, metrics in RUN_MEASURES.items():
        found = {key: value for run in runs for key, value in measure(run).items()}
        numbers = {key for key, value in found.items() if not isinstance(value, tuple)}
        assert numbers, measure.__name__
        described = {metric.label for metric in metrics if "level N" not in metric.label}
        assert described <= {metric_of(key).label for key in numbers}
        assert all(metric_of(key).label != key for key in numbers)


def test_a_number_that_nobody_knows_goes_by_its_key():
    assert (metric_of("beauty").label, metric_of("beauty").meaning) == ("beauty", "")


def test_cost_equals_hand_counts():
    model = create_model(
        Tiny(channels=(8, 16)),
        head=LinearGroups(groups=2),
        dim=16,
        preprocessing=Preprocessing(size=24),
    )
    convolutions = 3 * 9 * 8 + 8 * 9 * 16
    assert parameters(model) == convolutions + (8 + 8 + 8) + (16 + 16 + 16) + 16 * 16
    # 12 × 12 and 6 × 6 positions; a multiply-add is two operations
    assert flops(model) == 2 * (3 * 9 * 8 * 144 + 8 * 9 * 16 * 36 + 16 * 16)
    taken = milliseconds_per_image({"a": model, "b": model}, batch=2, rounds=2)
    assert set(taken) == {"a", "b"}
    assert min(taken.values()) > 0
    assert torch.is_grad_enabled()
