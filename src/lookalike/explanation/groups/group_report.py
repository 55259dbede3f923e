"""Values: which groups and pictures to look at, and what was found."""

from dataclasses import dataclass
from statistics import mean

from lookalike.accounts import MapMeaning
from lookalike.data import Catalog
from lookalike.explanation.groups.masks import Masks
from lookalike.explanation.groups.peaks import Peak
from lookalike.explanation.groups.shift import Along, Shift
from lookalike.explanation.groups.subject import Subject
from lookalike.model import Model
from lookalike.rendering.forms import ShownInFolder, record_of, sentences_of, to_json
from lookalike.rendering.overlays import Array


@dataclass(frozen=True, slots=True, eq=False)
class Viewing:
    """The pictures to look at, the same for all runs.

    Args:
        catalog: Where to search for each group's strongest pictures.
        subjects: Pictures to show to all runs, and to shift across the input; at least one.
        count: How many of the strongest pictures for each group.
        per_class: At most so many of them of one class; None is any number.
        along: The direction in which the subjects are shifted.
        scale: A shifted subject's side as a share of the input's.
        channels: Of masks, to show one by one. None is those whose masks differ most between
            learners.
    """

    catalog: Catalog
    subjects: tuple[Subject, ...]
    count: int = 12
    per_class: int | None = 1
    along: Along = "across"
    scale: float = 0.6
    channels: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class RunView:
    """A run and the groups of it to look at.

    Args:
        name: What it is called in figures and file names.
        model: As loaded.
        groups: Numbers of the groups to show.
        labels: What these are called, in the same order; "group 0" and so on if empty.
    """

    name: str
    model: Model
    groups: tuple[int, ...]
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.labels:
            object.__setattr__(self, "labels", tuple(f"group {g}" for g in self.groups))

    @property
    def head(self) -> str:
        """The kind of its head."""
        kind: str = self.model.config.head.kind
        return kind


@dataclass(frozen=True, slots=True, eq=False)
class RunGroups:
    """What the shown groups of one run look at.

    Args:
        view: Which run and groups.
        kind: What its maps show.
        peaks: For each group the pictures with the highest peaks, the highest first.
        maps: For each subject, groups × height × width.
        shifts: Each subject shifted across the input.
        masks: On each subject; None if the head has none.
    """

    view: RunView
    kind: MapMeaning
    peaks: tuple[tuple[Peak, ...], ...]
    maps: tuple[Array, ...]
    shifts: tuple[Shift, ...]
    masks: Masks | None = None

    def mean_slope(self, place: int) -> float:
        """Return the slope of a group's centre of mass, the mean over subjects."""
        return mean(shift.lines("centre")[place].slope for shift in self.shifts)


@dataclass(frozen=True, slots=True, eq=False)
class GroupReport(ShownInFolder):
    """What the groups of runs look at, in pictures and numbers.

    It is saved as groups.html, groups.json and a PNG for each sheet.

    Args:
        viewing: What was looked at.
        runs: What was found.
    """

    viewing: Viewing
    runs: tuple[RunGroups, ...]

    def __str__(self) -> str:
        return "\n".join(sentences_of(self))

    def to_json(self) -> str:
        """Return its numbers as one JSON object."""
        return to_json(record_of(self))
