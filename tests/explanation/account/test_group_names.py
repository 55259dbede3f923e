import json

import numpy as np
import pytest

from lookalike.errors import CheckpointError, LookalikeError, UsageError
from lookalike.explanation import explain
from lookalike.explanation.account.group_names import GroupNames, named


@pytest.fixture
def names() -> GroupNames:
    return GroupNames(("head", None, "body"), (0.75, None, None), (0.125, None, None))


def test_names_into_any_file(names, tmp_path):
    path = names.write(tmp_path / "mine.json")
    assert GroupNames.read(path, groups=3) == names


def test_how_often_a_name_is_right_is_said_with_it(why):
    shown = named(why, GroupNames(("head", "tail"), (0.75, None), (0.1, None)))
    said = "Counted on known parts, head (group 0) is right in 75 % of pictures."
    assert shown.sentences[-1] == said
    assert said in str(shown)
    assert said in shown.to_html()
    assert json.loads(shown.to_json())["groups"][0]["name_holds"] == 0.75
    assert any("75 %" in text.get_text() for text in shown.plot().texts)
    assert "Counted" not in str(named(why, GroupNames(("head", "tail"))))


def test_labels(names):
    assert [names.label(group) for group in range(3)] == [
        "head (group 0)",
        "group 1",
        "body (group 2)",
    ]
    assert names.label(0, "learner 0") == "head (learner 0)"
    assert len(names) == 3


def test_a_users_own_names_are_put_in_place_of_others(names):
    own = names.renamed([(1, "left wing"), (0, "beak")])
    assert own.names == ("beak", "left wing", "body")
    assert own.shares == (None, None, None)  # nobody has counted how often it is a beak
    assert own.chances == (None, None, None)
    assert names.renamed([(1, "wing")]).shares == (0.75, None, None)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([(3, "tail")], "no group 3 to name: the model has 0 to 2"),
        ([(-1, "tail")], "no group -1"),
        ([(0, "a"), (1, "b"), (0, "c")], "group 0 is named twice, 'a' and 'c'"),
        ([(1, "  ")], "group 1: '  ' is no name"),
        ([(1, "two\nlines")], "is no name"),
    ],
)
def test_wrong_names(names, given, words):
    with pytest.raises(UsageError, match=words):
        names.renamed(given)


def test_names_are_kept_in_the_run_folder(names, tmp_path):
    path = names.save(tmp_path)
    assert path == tmp_path / "names.json"
    assert GroupNames.load(tmp_path, groups=3) == names
    assert json.loads(path.read_text()) == {
        "groups": [
            {"group": 0, "name": "head", "share": 0.75, "chance": 0.125},
            {"group": 2, "name": "body", "share": None, "chance": None},
        ]
    }
    names.renamed([(2, "Bauch 腹")]).save(tmp_path)
    assert GroupNames.load(tmp_path, groups=3).names == ("head", None, "Bauch 腹")
    assert [file.name for file in tmp_path.iterdir()] == ["names.json"]


def test_a_folder_without_names(tmp_path):
    assert GroupNames.load(tmp_path, groups=2) == GroupNames((None, None))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not valid JSON"),
        ("[]", "names.json"),
        ('{"groups": [{"group": 0}]}', "name: this key is required"),
        ('{"groups": [{"group": 0, "name": "a", "shares": 1}]}', "shares: unknown key"),
        ('{"groups": [{"group": 0, "name": "a", "share": 75}]}', "less than or equal to 1"),
        ('{"groups": [{"group": 2, "name": "a"}]}', "no group 2 to name: the model has 0 to 1"),
        ('{"groups": [{"group": 0, "name": "a"}, {"group": 0, "name": "b"}]}', "named twice"),
        ('{"groups": [{"group": 0, "name": ""}]}', "group 0: '' is no name"),
    ],
)
def test_a_file_that_somebody_has_edited(tmp_path, text, words):
    (tmp_path / "names.json").write_text(text)
    with pytest.raises(CheckpointError, match=words) as told:
        GroupNames.load(tmp_path, groups=2)
    assert str(tmp_path / "names.json") in str(told.value)


def test_files_that_cannot_be_read_or_written(names, tmp_path):
    (tmp_path / "names.json").mkdir()
    with pytest.raises(CheckpointError, match="directory"):
        GroupNames.load(tmp_path, groups=3)
    with pytest.raises(LookalikeError, match="cannot be written"):
        names.save(tmp_path / "none")


def test_names_need_a_place_for_every_group():
    with pytest.raises(UsageError, match="2 names of groups need as many shares"):
        GroupNames(("a", "b"), (0.5,))


def test_names_are_in_all_that_an_explanation_says(why):
    shown = named(why, GroupNames(("head", None)))
    assert [group.name for group in shown.groups] == ["head (group 0)", "group 1"]
    assert [group.value for group in shown.groups] == [1.25, -0.25]
    assert "head (group 0)" in str(shown)
    assert json.loads(shown.to_json())["groups"][0]["name"] == "head (group 0)"
    assert "head (group 0)" in shown.to_html()
    assert "head (group 0)" in shown.to_fragment()
    drawn = shown.plot()
    words = [text.get_text() for axes in drawn.axes for text in axes.get_yticklabels()]
    words += [axes.get_title() for axes in drawn.axes]
    words += [text.get_text() for axes in drawn.axes for text in axes.texts]
    words += [text.get_text() for text in drawn.texts]
    assert any("head (group 0)" in word for word in words)
    assert shown.gap == why.gap
    assert why.groups[0].name == "group 0"


def test_names_of_another_model(why, names):
    with pytest.raises(UsageError, match="names for 3 groups, but the explanation has 2"):
        named(why, names)


def test_a_graph_keeps_its_levels_and_names_nodes_of_the_highest(graph_of, noise):
    plain = explain(graph_of(-2, -1), noise(0), noise(1))
    shown = named(plain, GroupNames(tuple(f"part {node}" for node in range(12))))
    assert shown.groups == plain.groups
    upper = plain.nodes[1].contribution
    most = int(np.abs(upper).argmax())
    assert f"part {most} (level 2, node {most})" in shown.sentences[2]
    assert json.loads(shown.to_json())["node_names"][most] == f"part {most}"
    assert f"part {most}" in shown.to_html()
    assert named(plain, GroupNames((None,) * 12)).node_names == ()
    with pytest.raises(UsageError, match="names for 3 groups, but the graph has 12 nodes"):
        named(plain, GroupNames(("a", "b", "c")))
