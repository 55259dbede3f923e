"""A catalog: which pictures there are, and what is known about each, in columns."""

import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Float64, Int64, Integer

from lookalike.data.catalog.entries import Box, Entry, listed, refuse_rows
from lookalike.data.catalog.folder_tree import SUFFIXES, read_tree
from lookalike.data.catalog.tables import STANDARD, Columns, read_table, write_csv
from lookalike.errors import CatalogError

Texts = tuple[str | None, ...]
_TEXTS = ("splits", "roles", "groups")  # columns that may be left out
Rows = Sequence[int] | Integer[np.ndarray, " k"] | Bool[np.ndarray, " n"]


@dataclass(frozen=True, slots=True, eq=False)
class Catalog:
    """Pictures and what is known about them; entry i of every column belongs to picture i.

    Text columns that are left out are filled with None, boxes and keypoints with NaN, and rows
    with 0, 1, 2, ….

    Args:
        root: Where relative paths begin.
        paths: As written in the source.
        labels: Class of each picture, a code into `class_names`.
        class_names: All classes. Subsets keep all of them, so that codes stay the same.
        splits: E.g. "train" and "test".
        roles: "query" or "gallery".
        groups: What pictures of one class can share besides the class: a seller, a session, a
            style.
        boxes: Left, top, right, bottom of the object to look at, in pixels of the upright
            picture; NaN where there is none.
        rows: Where each picture is in its source, for messages: the line of a CSV file as an
            editor shows it (the header is line 1), the row of a Parquet file counted from 0, or
            the place in the byte order of a folder's paths.
        keypoints: x and y of named points, e.g. a bird's beak, in pixels of the upright picture;
            NaN where a point is not visible or not known.
        keypoint_names: One for each of the k keypoints.

    Raises:
        CatalogError: Columns differ in length, or a code or a keypoint has no name.
    """

    root: Path
    paths: tuple[str, ...]
    labels: Int64[np.ndarray, " n"]
    class_names: tuple[str, ...]
    splits: Texts = ()
    roles: Texts = ()
    groups: Texts = ()
    boxes: Float64[np.ndarray, "n 4"] = field(default_factory=lambda: np.empty((0, 4)))
    rows: Int64[np.ndarray, " n"] = field(default_factory=lambda: np.empty(0, np.int64))
    keypoints: Float64[np.ndarray, "n k 2"] = field(default_factory=lambda: np.empty((0, 0, 2)))
    keypoint_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        count = len(self.paths)
        defaults = dict.fromkeys(_TEXTS, (None,) * count) | {
            "boxes": np.full((count, 4), np.nan),
            "rows": np.arange(count),
            "keypoints": np.full((count, len(self.keypoint_names), 2), np.nan),
        }
        for name, default in {"labels": self.labels, **defaults}.items():
            if len(getattr(self, name)) == 0:
                object.__setattr__(self, name, default)
            if (found := len(getattr(self, name))) != count:
                raise CatalogError(
                    f"{count} paths, but {found} {name}: columns of a catalog have one length"
                )
        if count and not 0 <= self.labels.min() <= self.labels.max() < len(self.class_names):
            raise CatalogError(
                f"labels run from {self.labels.min()} to {self.labels.max()}, but there are names "
                f"for 0 to {len(self.class_names) - 1}"
            )
        points, names = self.keypoints.shape[1], len(self.keypoint_names)
        if points != names:
            raise CatalogError(f"{points} keypoints, but {names} names for them")

    def __len__(self) -> int:
        return len(self.paths)

    @classmethod
    def from_folder(cls, root: str | Path) -> "Catalog":
        """Read a tree with one folder per class, or train / val / test folders of such trees.

        `lookalike.data.catalog.folder_tree.read_tree` says what counts as a class and a picture.

        Raises:
            CatalogError: The folder does not exist, cannot be read in full, or has no pictures.
        """
        tree = read_tree(root)
        if tree.unreadable:
            raise CatalogError(
                f"{root}: cannot look into {listed(tree.unreadable)}; grant access or move it out"
            )
        if not tree.entries:
            raise CatalogError(
                f"{root}: no pictures in class folders; expected CLASS/PICTURE or "
                f"train/CLASS/PICTURE with one of {' '.join(sorted(SUFFIXES))}"
            )
        return cls.from_entries(root, tree.entries)

    @classmethod
    def from_csv(
        cls, path: str | Path, *, root: str | Path | None = None, columns: Columns = STANDARD
    ) -> "Catalog":
        """Read a CSV file with one picture in each row: its path, its label, and other `Columns`.

        Args:
            path: UTF-8, separated by commas, semicolons or tabs, with column names in line 1.
            root: Where relative paths begin; the file's folder if None.
            columns: What the columns are called.

        Raises:
            CatalogError: The file cannot be read, or rows are bad: the message counts all of them
                and names the first ten by their lines.
        """
        return cls._from_table(path, root, columns, ".csv")

    @classmethod
    def from_parquet(
        cls, path: str | Path, *, root: str | Path | None = None, columns: Columns = STANDARD
    ) -> "Catalog":
        """Read a Parquet file as `from_csv` reads a CSV file; rows are counted from 0."""
        return cls._from_table(path, root, columns, ".parquet")

    @classmethod
    def from_path(
        cls, path: str | Path, *, root: str | Path | None = None, columns: Columns = STANDARD
    ) -> "Catalog":
        """Read a folder, or a CSV or Parquet file by its suffix."""
        if os.path.isdir(path):
            return cls.from_folder(path)
        return cls._from_table(path, root, columns)

    @classmethod
    def _from_table(
        cls, path: str | Path, root: str | Path | None, columns: Columns, suffix: str | None = None
    ) -> "Catalog":
        table = read_table(path, columns, root=root, suffix=suffix)
        refuse_rows(str(path), table.row_word, table.problems)
        if not table.entries:
            raise CatalogError(f"{path}: no rows below the column names")
        return cls.from_entries(table.root, table.entries)

    @classmethod
    def from_entries(
        cls,
        root: str | Path,
        entries: Sequence[Entry],
        *,
        class_names: Sequence[str] | None = None,
        keypoint_names: Sequence[str] = (),
    ) -> "Catalog":
        """Make a catalog of entries.

        Args:
            root: Where relative paths begin.
            entries: One for each picture.
            class_names: All classes in the order of their codes. If None, the entries' classes:
                sorted by value if all are whole numbers, by their characters otherwise.
            keypoint_names: What the entries' keypoints are called.

        Raises:
            CatalogError: A class name is missing or is there twice, or an entry does not have one
                keypoint for each name.

        >>> Catalog.from_entries(".", [Entry("a.png", "10", 0), Entry("b.png", "9", 1)]).labels
        array([1, 0])
        """
        codes = _codes(entries, class_names)
        no_box = (np.nan,) * 4
        return cls(
            root=Path(root),
            paths=tuple(entry.path for entry in entries),
            labels=np.array([codes[entry.label] for entry in entries], np.int64),
            class_names=tuple(codes),
            splits=tuple(entry.split for entry in entries),
            roles=tuple(entry.role for entry in entries),
            groups=tuple(entry.group for entry in entries),
            boxes=np.array([entry.box or no_box for entry in entries]).reshape(-1, 4),
            rows=np.array([entry.row for entry in entries], np.int64),
            keypoints=_keypoints(entries, len(keypoint_names)),
            keypoint_names=tuple(keypoint_names),
        )

    def path(self, i: int) -> Path:
        """Return where picture i is."""
        return self.root / self.paths[i]

    def class_name(self, i: int) -> str:
        """Return the name of picture i's class."""
        return self.class_names[int(self.labels[i])]

    def box(self, i: int) -> Box | None:
        """Return picture i's box, or None if it has none."""
        left, top, right, bottom = self.boxes[i].tolist()
        return None if np.isnan(self.boxes[i]).any() else (left, top, right, bottom)

    @property
    def classes(self) -> Int64[np.ndarray, " c"]:
        """Codes of the classes that have a picture here, ascending."""
        return np.unique(self.labels)

    @property
    def split_names(self) -> tuple[str, ...]:
        """The splits that have a picture here, in the order of their names."""
        return tuple(sorted({split for split in self.splits if split is not None}))

    def counts(self) -> Int64[np.ndarray, " c"]:
        """Count the pictures of each class in `class_names`; 0 for classes without a picture."""
        return np.bincount(self.labels, minlength=len(self.class_names))

    def subset(self, keep: Rows) -> "Catalog":
        """Return some of the pictures: by their numbers, in that order, or by a mask.

        Raises:
            CatalogError: The mask has another length than the catalog.
        """
        chosen = np.asarray(keep)
        if chosen.dtype == bool:
            if len(chosen) != len(self):
                raise CatalogError(f"the mask has {len(chosen)} entries for {len(self)} pictures")
            chosen = np.flatnonzero(chosen)
        chosen = chosen.astype(np.int64)
        numbers: list[int] = chosen.tolist()
        arrays = ("labels", "boxes", "rows", "keypoints")
        chosen_of: dict[str, Any] = {name: getattr(self, name)[chosen] for name in arrays}
        for name in ("paths", *_TEXTS):
            column = getattr(self, name)
            chosen_of[name] = tuple(column[i] for i in numbers)
        return replace(self, **chosen_of)

    def split(self, name: str) -> "Catalog":
        """Return the pictures of one split.

        Raises:
            CatalogError: There is no such split.
        """
        return self._where("split", self.splits, name)

    def role(self, name: str) -> "Catalog":
        """Return the pictures of one role, "query" or "gallery".

        Raises:
            CatalogError: No picture has this role.
        """
        return self._where("role", self.roles, name)

    def _where(self, column: str, values: Texts, name: str) -> "Catalog":
        keep = [i for i, value in enumerate(values) if value == name]
        if not keep:
            known = sorted({value for value in values if value is not None})
            has = f"it has: {listed(known)}" if known else f"it has no {column}s"
            raise CatalogError(f"{self.root}: no picture of {column} {name!r}; {has}")
        return self.subset(keep)

    def with_splits(self, splits: Sequence[str | None]) -> "Catalog":
        """Return the same pictures with other splits, one for each picture."""
        return replace(self, splits=tuple(splits))

    def recoded(self) -> "Catalog":
        """Return the same pictures with codes 0, 1, 2, … for the classes that are here.

        A loss with parameters for each class needs this. The new codes differ from those of the
        catalog that this one was taken from.

        >>> entries = [Entry(f"{name}.png", name, 0) for name in "abc"]
        >>> Catalog.from_entries(".", entries).subset([1, 2]).recoded().class_names
        ('b', 'c')
        """
        names = tuple(self.class_names[code] for code in self.classes.tolist())
        return replace(self, labels=np.searchsorted(self.classes, self.labels), class_names=names)

    def to_csv(self, path: str | Path) -> None:
        """Write what `from_csv` reads; columns without a value are left out.

        Keypoints are not written: a table of pictures has no column for them. Paths are written
        as they are if the file is in the catalog's root. Otherwise they are made absolute, so
        that the file can be read from where it is.

        Raises:
            CatalogError: A name cannot be written as UTF-8.
        """
        beside = Path(path).absolute().parent == self.root.absolute()
        paths = self.paths if beside else [str(self.path(i).absolute()) for i in range(len(self))]
        columns: dict[str, Sequence[str | None]] = {
            "path": paths,
            "label": [self.class_name(i) for i in range(len(self))],
            "split": self.splits,
            "role": self.roles,
            "group": self.groups,
            "box": [_box_text(box) for box in self.boxes],
        }
        write_csv(path, {name: column for name, column in columns.items() if any(column)})


def _codes(entries: Sequence[Entry], class_names: Sequence[str] | None) -> dict[str, int]:
    """Give each class a code, in the order of the codes."""
    labels = {entry.label for entry in entries}
    names = class_names
    if names is None:
        numbers = all(re.fullmatch("-?[0-9]{1,19}", label) for label in labels)
        names = sorted(labels, key=lambda label: (int(label) if numbers else 0, label))
    if twice := sorted(name for name, count in Counter(names).items() if count > 1):
        raise CatalogError(f"class names are there twice: {listed(twice)}")
    codes = {name: code for code, name in enumerate(names)}
    if unknown := sorted(labels.difference(codes)):
        raise CatalogError(
            f"pictures of classes that are not among the class names: {listed(unknown)}"
        )
    return codes


def _keypoints(entries: Sequence[Entry], count: int) -> Float64[np.ndarray, "n k 2"]:
    """Put the entries' keypoints into one array, NaN for entries that have none."""
    unknown = ((np.nan, np.nan),) * count
    points = [entry.keypoints or unknown for entry in entries]
    for entry, own in zip(entries, points, strict=True):
        if len(own) != count:
            raise CatalogError(f"{entry.path}: {len(own)} keypoints, but {count} names for them")
    return np.array(points, np.float64).reshape(len(entries), count, 2)


def _box_text(box: Float64[np.ndarray, " 4"]) -> str | None:
    if np.isnan(box).any():
        return None
    return " ".join(np.format_float_positional(number, trim="-") for number in box)
