"""A result list, told and drawn."""

from lookalike.explanation.account.sentences import NODES, at, how_names_hold
from lookalike.explanation.graph.node_parts import listed as written
from lookalike.explanation.questions.results import Result, ResultList
from lookalike.explanation.questions.story import Story
from lookalike.explanation.questions.tiles import map_tile, picture_tile
from lookalike.explanation.questions.wording import at_most
from lookalike.rendering.numbers import counted, score, tiny
from lookalike.rendering.overlays import limit_of
from lookalike.rendering.sheets import Row

SHOWN = 10
"""Results that are shown as pictures, at most."""


def story(listed: ResultList) -> Story:
    """Say what is in the list, and what carried it."""
    return Story(
        question=f"What carried the first {len(listed.pairs)} results for A?",
        sentences=(*_carried(listed), *_found(listed)),
        bars=listed.groups,
        measured=f"What each {_part(listed)} gives, mean of the list",
        notes=(
            f"The best of {counted(listed.gallery, 'picture')}, found exactly. Parts add up to "
            f"each score within {tiny(listed.gap)}. Strongest colour: in A's mean map its own "
            "strongest cell; in the results' maps the strongest cell of all of them.",
            *_nodes(listed),
            *how_names_hold(listed.groups),
        ),
    )


def _nodes(listed: ResultList) -> tuple[str, ...]:
    """Name the nodes of a graph that gave most, mean of the list."""
    nodes = listed.nodes(NODES)
    return (f"Nodes that give most: {written(nodes)}.",) if nodes else ()


def _part(listed: ResultList) -> str:
    return "level" if listed.pairs[0].nodes else "group"


def _found(listed: ResultList) -> tuple[str, ...]:
    first, last = listed.pairs[0], listed.pairs[-1]
    most = at_most(first)
    told = [f"Similarity from {score(first.score)} to {score(last.score)}{most}."]
    if first.meaning is not None:
        told = [f"The first: similarity {score(first.score)}{most}, {first.meaning}."]
        if last is not first:
            told.append(f"The last: similarity {score(last.score)}, {last.meaning}.")
    known = [result.right for result in listed.results if result.right is not None]
    if known:
        told.insert(0, f"{known.count(True)} of {len(known)} are of A's class.")
    return tuple(told)


def _carried(listed: ResultList) -> tuple[str, ...]:
    """Name the group that gave most, with its share where all have one sign, and where in A."""
    why, groups = listed.pairs[0], listed.groups
    whole = listed.over_a.sum(axis=0)
    if len(groups) == 1:
        return (f"The list was carried most {at(whole, 'A')}.",)
    values = [group.value for group in groups]
    most = values.index(min(values) if why.together else max(values))
    one_sign = min(values) * max(values) >= 0
    total = sum(values)
    share = f", {100 * values[most] / total:.0f} % of it" if one_sign and total else ""
    where = at(-listed.over_a[most] if why.together else listed.over_a[most], "A")
    if why.together:
        return (
            f"Most of the difference that is left: {groups[most].name}{share}, {where}.",
            f"What in A speaks for these results is mostly {at(whole, 'A')}.",
        )
    return (f"Carried most by {groups[most].name}{share}, {where}.",)


def rows(listed: ResultList) -> tuple[Row, ...]:
    """Show A with its mean map, and each result above its own map."""
    a = listed.pairs[0].pictures[0]
    mean = listed.over_a.sum(axis=0)
    shown = listed.pairs[:SHOWN]
    maps = [why.maps[1].sum(axis=0) for why in shown]
    limit = limit_of(*maps)
    return (
        Row(
            "Query",
            (
                picture_tile(a, "A"),
                map_tile(a, mean, limit=limit_of(mean), words="mean of its maps"),
            ),
        ),
        Row(
            "Results",
            tuple(
                picture_tile(why.pictures[1], f"{rank}: {score(why.score)}", words=_words(result))
                for rank, (why, result) in enumerate(
                    zip(shown, listed.results, strict=False), start=1
                )
            ),
        ),
        Row(
            "Maps",
            tuple(
                map_tile(why.pictures[1], values, limit=limit)
                for why, values in zip(shown, maps, strict=True)
            ),
        ),
    )


def _words(result: Result) -> str:
    if result.right is None:
        return result.label
    return f"{result.label} ({'right' if result.right else 'wrong'})"
