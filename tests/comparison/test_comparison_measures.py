import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from lookalike.comparison import Measurand
from lookalike.comparison.learners import self_pairs
from lookalike.comparison.measures import learner_recalls, level_recalls
from lookalike.comparison.run_metrics import definition
from lookalike.data import Catalog
from lookalike.heads import Ensemble, Levels, LinearGroups, Single
from lookalike.model import EmbeddedCatalog, create_model
from lookalike.preprocessing import Preprocessing
from lookalike.recipes import EvaluationConfig
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
        assert f"level {number} " in definition(f"recall_at_1_of_level_{number}")


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
        assert definition(name)


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


def test_self_pairs_of_four_vectors_by_hand():
    """Two pictures and three learners; cosines 1, 0, 0 and 0.6, −1, −0.6."""
    x, y, z = [1.0, 0.0], [0.0, 1.0], [0.6, 0.8]
    vectors = torch.tensor([[x, x, y], [x, z, [-1.0, 0.0]]])
    found = self_pairs(vectors)
    assert found.mean == pytest.approx(0.0, abs=1e-7)
    assert found.deviation == pytest.approx(math.sqrt((1 + 0.36 + 1 + 0.36) / 6))
    bins = {bin_: count for bin_, count in enumerate(found.counts) if count}
    # Bins of 0.05: −1 begins the first, 0 the 21st, and 1 belongs to the last.
    assert {0: 1, 20: 2, 39: 1}.items() <= bins.items()
    assert sum(bins.values()) == 6
    assert len(found.counts) == 40


def test_self_pairs_do_not_depend_on_how_many_are_held_at_once(monkeypatch):
    generator = torch.Generator().manual_seed(0)
    vectors = torch.nn.functional.normalize(torch.randn(50, 5, 3, generator=generator), dim=2)
    whole = self_pairs(vectors)
    monkeypatch.setattr("lookalike.comparison.learners.AT_ONCE", 60)
    pieces = self_pairs(vectors)
    assert pieces.counts == whole.counts
    assert pieces.mean == pytest.approx(whole.mean)
    assert pieces.deviation == pytest.approx(whole.deviation)
