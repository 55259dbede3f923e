from dataclasses import replace

import numpy as np
import pytest
from matplotlib.patches import PathPatch
from PIL import Image

from lookalike.errors import LookalikeError, UsageError
from lookalike.explanation import GraphReport, GroupNames, Pictured, explain, explain_graph
from lookalike.explanation.graph.node_choice import grow
from lookalike.explanation.graph.node_sheet import node_sheet
from lookalike.explanation.graph.node_words import short, thumbnails
from lookalike.explanation.graph.spread_figure import draw_spread
from lookalike.explanation.graph.tree_figure import draw_tree
from lookalike.heads import Attentive
from lookalike.model import create_model
from lookalike.preprocessing import Geometry, Preprocessing
from lookalike.rendering.overlays import overlay
from lookalike.rendering.sheet_figure import draw_sheet

FILES = ["graph.html", "nodes.png", "tree.png", "spread.png", "maps-b.png"]


@pytest.fixture(scope="module")
def pair(graph_of, noise):
    return explain_graph(graph_of(0, 1), noise(0), noise(1))


@pytest.fixture(scope="module")
def triplet(graph_of, noise):
    return explain_graph(graph_of(0, 1), noise(0), noise(1), Image.fromarray(noise(2)))


def texts(figure):
    """All words of a figure; those in its axes last."""
    inside = [text for axes in figure.axes for text in axes.texts]
    return [text.get_text() for text in [*figure.texts, *inside]]


def nodes_figure(report):
    return draw_sheet(node_sheet(report))


def test_a_report_is_of_one_pair_or_two(pair, triplet, graph_of, noise, tmp_path):
    assert [shown.name for shown in pair.pictures] == ["picture A", "picture B"]
    assert [shown.name for shown in triplet.pictures] == ["picture A", "picture B", "picture C"]
    Image.fromarray(noise(2)).save(tmp_path / "third.png")
    named = explain_graph(graph_of(0, 1), noise(0), noise(1), tmp_path / "third.png")
    assert named.pictures[2].label.endswith("/third.png")
    expected = explain(graph_of(0, 1), noise(0), noise(2)).score
    assert triplet.pairs[1].score == pytest.approx(expected, abs=1e-6)
    assert len(triplet.responses(0, 3)) == 3
    third = triplet.pairs[1].nodes[0].responses[1][3]
    np.testing.assert_array_equal(triplet.responses(0, 3)[2], third)


def test_a_model_without_a_graph_is_refused(noise):
    model = create_model("tiny", head=Attentive(groups=2), dim=8)
    with pytest.raises(UsageError, match="this model's similarity is cosine, which has no nodes"):
        explain_graph(model, noise(0), noise(1))


def test_figure_6_names_the_most_similar_and_dissimilar_of_each_level(pair):
    shown = texts(nodes_figure(pair))
    low, high = pair.pairs[0].nodes
    expected = []
    for nodes in (high, low):
        order = np.argsort(nodes.difference)
        expected += [*order[:4], *order[:-5:-1]]
    assert [text for text in shown if text.startswith("node ")] == [f"node {i}" for i in expected]
    numbers = [text for text in shown if text.startswith("δ ")]
    assert numbers[0] == f"δ {short(high.difference.min())}"
    assert numbers[4] == f"δ {short(high.difference.max())}"
    assert "Level 1, the lowest: all 12 nodes, reliable by definition" in shown
    p = high.reliability
    assert f"Level 2: all 12 nodes, p from {p.min():.3f} to {p.max():.3f}" in shown


def test_figure_6_ranks_the_most_reliable_alone(graph_of, noise):
    report = explain_graph(graph_of(0, 1, nodes=200, k=8), noise(0), noise(1))
    shown = texts(nodes_figure(report))
    nodes = report.pairs[0].nodes[1]
    p = np.sort(nodes.reliability)[-128:]
    title = f"Level 2: the 128 most reliable of 200 nodes, p from {p[0]:.3f} to {p[-1]:.3f}"
    assert title in shown
    named = [int(text[5:]) for text in shown if text.startswith("node ")][:8]
    assert (nodes.reliability[named] >= p[0]).all()
    assert "Level 1, the lowest: all 200 nodes, reliable by definition" in shown


@pytest.mark.parametrize("name", ["pair", "triplet"])
def test_figure_7_prints_the_tree(name, request):
    report = request.getfixturevalue(name)
    figure = draw_tree(report)
    shown = texts(figure)
    rows = grow([why.nodes for why in report.pairs])
    names = [text for text in shown if text.startswith("level ")]
    assert names == [f"level {row.level + 1}, node {i}" for row in rows for i in row.nodes]
    printed = [text for text in shown if text.startswith("ω̃ ")]
    assert printed == [f"ω̃ {short(weight)}" for weight in rows[1].weights]
    edges = [
        artist for axes in figure.axes for artist in axes.patches if isinstance(artist, PathPatch)
    ]
    widths = np.array([edge.get_linewidth() for edge in edges])
    np.testing.assert_allclose(widths / widths[0], np.array(rows[1].weights) / rows[1].weights[0])
    opened = rows[0].opened
    sensitivity = " | ".join(short(why.nodes[1].sensitivity[opened]) for why in report.pairs)
    assert f"λ {sensitivity}" in shown
    heard = " | ".join(
        f"{100 - 100 * why.nodes[1].reliability[opened]:.0f} %" for why in report.pairs
    )
    assert any(text.startswith(f"{heard} of it comes from") for text in shown)


@pytest.mark.parametrize("name", ["pair", "triplet"])
@pytest.mark.parametrize("draw", [nodes_figure, draw_tree, draw_spread])
def test_nothing_overlaps_or_is_cut_off(draw, name, request, assert_laid_out):
    assert_laid_out(draw(request.getfixturevalue(name)))


def test_the_spread_shows_every_node_and_sums_to_the_levels(triplet):
    figure = draw_spread(triplet)
    histograms, totals = figure.axes[:2], figure.axes[2:]
    assert [axes.get_title(loc="left") for axes in histograms] == ["Level 2", "Level 1"]
    for axes, level in zip(totals, (1, 0), strict=True):
        for line, why in zip(axes.get_lines(), triplet.pairs, strict=True):
            running = line.get_ydata()
            assert len(running) == 13
            assert running[-1] == pytest.approx(-why.groups[level].value)
            assert (np.diff(running, 2) <= 1e-12).all()  # the largest first
            assert running[-1] < axes.get_ylim()[1]
        assert axes.get_ylim()[0] == 0
    legend = [text.get_text() for text in histograms[0].get_legend().get_texts()]
    assert legend[1] == f"A with C: {-triplet.pairs[1].groups[1].value:.4f}"


def test_a_graph_of_one_level_can_be_drawn(graph_of, noise, tmp_path):
    report = explain_graph(graph_of(-1), noise(0), noise(1))
    report.save(tmp_path)
    assert not [text for text in texts(draw_tree(report)) if text.startswith("ω̃")]


def test_two_equal_pictures_can_be_drawn(graph_of, noise, tmp_path):
    report = explain_graph(graph_of(0, 1), noise(0), noise(0))
    assert report.pairs[0].score == 0
    report.save(tmp_path)


def test_files(pair, tmp_path):
    written = pair.save(tmp_path / "new")
    assert [path.name for path in written] == FILES
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == sorted(FILES)
    for path in written[1:]:
        with Image.open(path) as image:
            assert min(image.size) > 500
    (tmp_path / "file").write_text("")
    with pytest.raises(LookalikeError, match="file: cannot be written"):
        pair.save(tmp_path / "file")


def test_thumbnails_show_what_the_network_saw():
    """The network saw the middle of a wide picture, and more than a narrow one."""
    picture = Image.new("RGB", (30, 20), "white")
    picture.paste("black", (5, 0, 15, 20))
    for scale, size in ((1, (30, 20)), (2, (60, 40))):
        geometry = Preprocessing(size=20).geometry(*size)
        assert geometry.box == (5.0 * scale, 0, 25.0 * scale, 20.0 * scale)
        grey = np.asarray(Pictured(picture, geometry, "a").seen(20).convert("L"))
        assert grey.shape == (20, 20)
        assert (grey[:, :9] == 0).all()
        assert (grey[:, 11:] == 255).all()
    padded = Preprocessing(size=20, fit="pad").geometry(30, 20)
    black = Image.new("RGB", (30, 20), "black")
    grey = np.asarray(Pictured(black, padded, "a").seen(30).convert("L"))
    assert (grey[:5] == 255).all()
    assert (grey[6:24] == 0).all()


def test_thumbnails_share_a_scale(pair):
    (why,) = pair.pairs
    low, high = why.nodes
    weak, strong = np.zeros((12, 8, 8), np.float32), np.zeros((12, 8, 8), np.float32)
    weak[0, 0, 0], strong[0, 7, 7], strong[1] = 0.25, -1.0, 9.0
    high = replace(high, responses=(weak, strong))
    place = Geometry(80, 80, (0.0, 0.0, 80.0, 80.0))
    white = Pictured(Image.new("RGB", (80, 80), "white"), place, "a")
    report = GraphReport((replace(why, nodes=(low, high), pictures=(white, white)),))
    for drawn, values in zip(thumbnails(report, 1, 0, side=80), (weak, strong), strict=True):
        expected = overlay(white.picture, values[0].astype(float), place, limit=1.0, side=80)
        np.testing.assert_array_equal(drawn, expected)


def test_names_are_those_of_the_highest_level(graph_of, noise):
    names = GroupNames(("ear", *[None] * 11))
    report = explain_graph(graph_of(0, 1), noise(0), noise(1), names=names)
    assert report.pairs[0].node_names == names.names
