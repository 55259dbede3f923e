"""Which queries go most wrong, told and drawn."""

from lookalike.explanation.account.explanation import Explanation
from lookalike.explanation.account.sentences import how_names_hold, strongest
from lookalike.explanation.questions.mistake import Mistake
from lookalike.explanation.questions.story import Story
from lookalike.explanation.questions.tiles import map_tile, picture_tile
from lookalike.explanation.questions.wording import at_most
from lookalike.explanation.questions.worst import Place, Worst
from lookalike.rendering.numbers import score, signed
from lookalike.rendering.overlays import limit_of
from lookalike.rendering.sheets import Row

SHOWN = 6
"""Queries that are shown as pictures, at most."""
ENDS = ("speaks for the right one", "speaks for the wrong one")


def story(worst: Worst) -> Story:
    """Say what goes most wrong, how many do, and what it is due to."""
    question = "Which queries go most wrong?"
    if not worst.mistakes:
        return Story(question, ("None: no query has a wrong result above the best right one.",))
    groups, first = worst.groups, worst.mistakes[0]
    right, wrong = first.classes
    part = "level" if first.margin.first.nodes else "group"
    listed = len(worst.mistakes)
    share = f"{100 * worst.wrong / worst.queries:.0f} %"
    return Story(
        question=question,
        sentences=(
            f"A picture of {right}: {wrong} is {score(first.margin.value)} above the right result, "
            f"at rank {first.contest.rank}.",
            f"{worst.wrong} of {worst.queries} queries, {share}, have a wrong result above the "
            f"best right one; listed here: {listed}.",
            *_due_to(worst),
            f"There the wrong one scores {_scored(first.margin.first)}.",
            f"The right one scores {_scored(first.margin.second)}.",
        ),
        bars=groups,
        measured=f"What each {part} gives to the wrong one, mean of those listed",
        ends=ENDS,
        notes=(
            f"Pictures are shown of the first {min(SHOWN, listed)}. "
            "In bold: the wrong one's score less the right one's. Strongest colour: the strongest "
            "cell of all maps. A cell's features come from more of the picture than the cell.",
            *how_names_hold(groups),
        ),
    )


def _scored(why: Explanation) -> str:
    meaning = "" if why.meaning is None else f", {why.meaning}"
    return f"{score(why.score)}{at_most(why)}{meaning}"


def _due_to(worst: Worst) -> tuple[str, ...]:
    most = strongest(worst.groups, sign=1)
    if most is None or len(worst.groups) == 1:
        return ()
    part = worst.groups[most]
    return (f"What puts the wrong ones above is mostly {part.name}, {signed(part.value)} on mean.",)


def lines(worst: Worst) -> list[str]:
    """Write a line for each query, with what was found in place of its class."""
    pairs = zip(worst.mistakes, worst.places, strict=True)
    return [_line(mistake, places[0]) for mistake, places in pairs]


def _line(mistake: Mistake, query: Place) -> str:
    right, wrong = mistake.classes
    contest = mistake.contest
    most = _most(mistake)
    return (
        f"row {query.row:<6} {query.path}: {wrong} {score(contest.wrong_score)} above {right} "
        f"{score(contest.right_score)}, which comes at rank {contest.rank}"
        f"{f'; mostly {most}' if most else ''}"
    )


def _most(mistake: Mistake) -> str:
    """Name the group that gave most to the wrong one; nothing where there is but one group."""
    groups = mistake.margin.groups
    most = strongest(groups, sign=1)
    if most is None or len(groups) == 1:
        return ""
    return f"{groups[most].name}, {signed(groups[most].value)}"


def rows(worst: Worst) -> tuple[Row, ...]:
    """Show each query beside its wrong and its right result, and where it speaks for which."""
    shown = worst.mistakes[:SHOWN]
    maps = [mistake.margin.over_a.sum(axis=0) for mistake in shown]
    limit = limit_of(*maps)
    found = []
    for mistake, values, (query, _, _) in zip(shown, maps, worst.places, strict=False):
        (a, b), (_, c) = mistake.margin.first.pictures, mistake.margin.second.pictures
        right, wrong = mistake.classes
        tiles = (
            picture_tile(a, "the query", words=right),
            picture_tile(b, score(mistake.contest.wrong_score), words=f"{wrong} (wrong)"),
            picture_tile(
                c,
                score(mistake.contest.right_score),
                words=f"{right} (right), rank {mistake.contest.rank}",
            ),
            map_tile(a, values, limit=limit, words="red: like the wrong one"),
        )
        most = _most(mistake)
        notes = (f"row {query.row}", *((f"mostly {most}",) if most else ()))
        found.append(Row(signed(mistake.margin.value), tiles, notes))
    return tuple(found)
