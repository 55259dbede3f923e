"""What a reader of one layout found of a benchmark, before its counts are checked."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lookalike.data.catalog.entries import Entry


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A benchmark in one of the layouts that it is passed on in.

    Args:
        layout: What the files look like, as a short phrase for people, e.g. "official tree
            (images.txt, image_class_labels.txt)".
        root: Where the entries' paths begin.
        entries: One for each picture listed, its split "train" or "test" (for In-Shop also its
            role), its class by a name that no other class has.
        keypoint_names: Names of the keypoints, in their order; empty where there are none.
        notes: What a user should know of this copy, a sentence each.
        class_names: All classes as the data set numbers them; empty where the order of
            `Catalog.from_entries` is as good.
    """

    layout: str
    root: Path
    entries: tuple[Entry, ...]
    keypoint_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    class_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Published:
    """How many pictures and classes the literature counts in one part of a benchmark.

    Args:
        part: The role of its pictures, or their split where they have no role: "train", "test",
            "query", "gallery".
        images: Pictures.
        classes: Classes.
    """

    part: str
    images: int
    classes: int


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark of the literature.

    Args:
        title: As it is called, e.g. "CUB-200-2011".
        published: Counts of the class-disjoint split.
        read: Finds the layout at a root or one folder below, and reads it; takes the root and
            whether the closed-set split is asked for. Counts and missing files are not its
            matter.
        source: Where the pictures come from, and on what terms, a sentence.
        closed_set: Counts of the official split that puts the same classes into both parts;
            empty where there is none.
    """

    title: str
    published: tuple[Published, ...]
    read: Callable[[Path, bool], Found]
    source: str
    closed_set: tuple[Published, ...] = ()
