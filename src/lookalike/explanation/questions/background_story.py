"""What a pair has beyond the background, told and drawn."""

from lookalike.explanation.account.sentences import at, how_names_hold, strongest
from lookalike.explanation.questions.background import Beyond
from lookalike.explanation.questions.story import Story
from lookalike.explanation.questions.tiles import map_tile, picture_tile
from lookalike.explanation.questions.wording import scored
from lookalike.rendering.numbers import counted, score, signed, tiny
from lookalike.rendering.overlays import limit_of
from lookalike.rendering.sheets import Row


def story(beyond: Beyond) -> Story:
    """Say what A gets with any picture, and what of its score with B is more than that."""
    usual, value = beyond.background, beyond.value
    drawn = len(usual.scores)
    reached = 100 * float((usual.scores < beyond.why.score).mean())
    part = "level" if beyond.why.nodes else "group"
    return Story(
        question="What do A and B share that A does not share with just any picture?",
        sentences=(
            f"B has {score(abs(value))} {'more' if value >= 0 else 'less'} than just any picture, "
            f"{_mostly(beyond)}.",
            scored(beyond.why, "B"),
            f"With a picture of another class A gets {score(usual.score)} on average, and B is "
            f"above {reached:.0f} % of {counted(drawn, 'such picture')}.",
        ),
        bars=beyond.groups,
        measured=f"What each {part} gives beyond the background",
        notes=(
            f"{part.capitalize()}s add up to {signed(value)} within {tiny(beyond.gap)}, and so do "
            f"the cells of the last map{_and_others(beyond)}. All maps share one scale. A cell's "
            "features come from more of the picture than the cell.",
            *how_names_hold(beyond.groups),
        ),
    )


def _and_others(beyond: Beyond) -> str:
    if not beyond.why.together:
        return ""
    rest = float(beyond.why.maps[1].sum()) - beyond.background.over_others
    return f" with {signed(rest)} from the cells of B, less those of the other pictures"


def _mostly(beyond: Beyond) -> str:
    """Name the group and the place that B's own share is mostly in."""
    sign = 1 if beyond.value >= 0 else -1
    most = strongest(beyond.groups, sign=sign)
    if len(beyond.groups) == 1 or most is None:
        return f"mostly {at(sign * beyond.over_a.sum(axis=0), 'A')}"
    part = beyond.groups[most]
    return f"mostly {part.name}, {signed(part.value)}, {at(sign * beyond.over_a[most], 'A')}"


def rows(beyond: Beyond) -> tuple[Row, ...]:
    """Show B and A; A's map with B, with any picture, and what is left."""
    a, b = beyond.why.pictures
    usual = beyond.background
    with_b, with_any, left = (
        maps.sum(axis=0) for maps in (beyond.why.maps[0], usual.over_a, beyond.over_a)
    )
    limit = limit_of(with_b, with_any, left)
    return (
        Row(
            "",
            (
                picture_tile(a, "A"),
                picture_tile(b, "B"),
                map_tile(a, with_b, score(beyond.why.score), limit=limit, words="A with B"),
                map_tile(a, with_any, score(usual.score), limit=limit, words="A with any picture"),
                map_tile(a, left, signed(beyond.value), limit=limit, words="what is left for B"),
            ),
        ),
    )
