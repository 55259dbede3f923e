"""Evaluating a model on a catalog: modes, what is left out, what is warned of."""

import numpy as np
import pytest
import torch

import lookalike as la
from lookalike.errors import ImageError, UsageError


@pytest.fixture(scope="module")
def folder(coloured):
    return coloured.root


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return la.create_model("tiny", dim=32)


def listed(folder, lines):
    path = folder / "list.csv"
    path.write_text("\n".join(["path,label,role", *lines]))
    return la.Catalog.from_csv(path)


def test_every_picture_among_all_others(coloured, model):
    seen = []
    report = la.evaluate(
        model,
        coloured,
        batch_size=5,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert report.mode == "A"
    assert report.metrics["recall_at_1"] == 1
    assert report.metrics["nmi"] <= 1
    assert report.counts == {
        "queries": 12,
        "gallery": 12,
        "classes": 3,
        "queries_without_positives": 0,
        "unreadable_pictures": 0,
    }
    assert seen == [(5, 12), (10, 12), (12, 12)]
    assert report.notes == ()
    assert "12 pictures of 3 classes" in report.data


def test_no_clustering_when_not_wanted(coloured, model):
    report = la.evaluate(model, coloured, clustering=False, ks=(3,))
    assert "nmi" not in report.metrics
    assert set(report.metrics) >= {"recall_at_3", "map_at_r"}


def test_queries_in_a_gallery(folder, model):
    catalog = listed(
        folder,
        [
            "red/0.png,red,query",
            "green/0.png,green,query",
            "red/1.png,red,gallery",
            "green/1.png,green,gallery",
            "blue/1.png,blue,gallery",
            "blue/2.png,blue,",
        ],
    )
    report = la.evaluate(model, catalog, clustering=False)
    assert report.mode == "B"
    assert (report.counts["queries"], report.counts["gallery"]) == (2, 3)
    assert report.metrics["recall_at_1"] == 1
    assert report.notes == ("1 pictures that are neither query nor gallery were left out",)


def test_a_file_in_both_does_not_find_itself(folder, model):
    catalog = la.Catalog(
        root=folder,
        paths=("red/0.png", "red/0.png", "blue/0.png"),
        labels=np.array([1, 1, 0]),
        class_names=("blue", "red"),
        roles=("query", "gallery", "gallery"),
    )
    report = la.evaluate(model, catalog, clustering=False)
    assert report.metrics["recall_at_1"] == 0
    assert report.counts["queries_without_positives"] == 1
    assert "1 pictures are listed more than once" in report.notes


def test_queries_need_a_gallery(folder, model):
    with pytest.raises(UsageError, match="no picture has the role 'gallery'"):
        la.evaluate(model, listed(folder, ["red/0.png,red,query", "red/1.png,red,"]))


def test_unreadable_pictures_are_named_or_refused(folder, model, tmp_path):
    (tmp_path / "empty.png").write_bytes(b"")
    catalog = listed(folder, [f"{tmp_path}/empty.png,red,", "red/0.png,red,", "red/1.png,red,"])
    with pytest.raises(ImageError, match=r"empty\.png"):
        la.evaluate(model, catalog)
    report = la.evaluate(model, catalog, skip_bad=True, clustering=False)
    assert (report.counts["queries"], report.counts["unreadable_pictures"]) == (2, 1)
    assert report.metrics["recall_at_1"] == 1
    assert "empty.png" in report.notes[0]


def test_classes_that_were_trained_on_are_warned_of(coloured, model):
    try:
        model.class_names = ("red", "yellow")
        report = la.evaluate(model, coloured, clustering=False)
    finally:
        model.class_names = ()
    assert report.notes[0].startswith("WARNING: 1 of 3 classes were trained on (red)")


def test_queries_without_positives_by_both_policies(folder, model):
    catalog = listed(folder, ["red/0.png,red,", "red/1.png,red,", "blue/0.png,blue,"])
    missed = la.evaluate(model, catalog, clustering=False)
    ignored = la.evaluate(model, catalog, clustering=False, without_positives="ignore")
    assert missed.metrics["recall_at_1"] == pytest.approx(2 / 3)
    assert ignored.metrics["recall_at_1"] == 1
    assert missed.counts["queries_without_positives"] == 1
    assert missed.procedure != ignored.procedure
