"""The values that the packages of this library pass to each other.

Shape letters, here and everywhere: n, m images; g groups (learners, nodes); d numbers per group;
c channels; h, w a map's height and width; p = h·w positions. In a graph the groups of a level are
its nodes, r of them, with one number each.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from jaxtyping import Bool, Float, Int64
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

Rows = int | slice | Sequence[int] | Int64[Tensor, " k"] | Bool[Tensor, " n"]


@dataclass(frozen=True, slots=True)
class Batch:
    """Pictures ready for a network, with their labels.

    Args:
        images: Normalised float pixels.
        labels: Class codes.
        ids: The catalog's row of each picture.
    """

    images: Float[Tensor, "n 3 h w"]
    labels: Int64[Tensor, " n"]
    ids: Int64[Tensor, " n"]

    def __len__(self) -> int:
        return len(self.labels)

    def to(self, device: torch.device | str) -> "Batch":
        """Return the batch on another device."""
        return Batch(
            self.images.to(device, non_blocking=True),
            self.labels.to(device, non_blocking=True),
            self.ids.to(device, non_blocking=True),
        )


@dataclass(frozen=True, slots=True)
class FeatureMaps:
    """What a backbone sees: one map per stage, from low to high.

    Args:
        stages: n×c×h×w each; channels and sizes differ between stages.
        strides: Input pixels per position of each stage.
    """

    stages: tuple[Tensor, ...]
    strides: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.stages or len(self.stages) != len(self.strides):
            raise ValueError(
                f"need one stride per stage and at least one stage, got {len(self.stages)} stages "
                f"and {len(self.strides)} strides"
            )
        if any(stage.ndim != 4 or len(stage) != len(self.stages[0]) for stage in self.stages):
            shapes = [tuple(stage.shape) for stage in self.stages]
            raise ValueError(f"stages must be (n, c, h, w) with one n, got {shapes}")


@dataclass(frozen=True, slots=True)
class Level:
    """One level of an embedding.

    Args:
        vectors: A vector for every group, of L2 norm 1 unless it is zero; in a graph a number for
            every node, and the norm is that of all of a level's nodes together.
        certainty: How unevenly each node responds over the picture; None for other methods.
        links: How alike this level's nodes and those of the level below respond in the pictures of
            a training batch. It is of the batch, not of a row, so it is not kept when rows are
            chosen, joined or saved. None outside training and in the lowest level.
        overlap: The cosines between the masks of the groups in each picture, for a loss that pushes
            them apart. It is not kept when embeddings are joined or saved. None outside training
            and for methods without masks.
    """

    vectors: Float[Tensor, "n g d"]
    certainty: Float[Tensor, "n g"] | None = None
    links: Float[Tensor, "g below"] | None = None
    overlap: Float[Tensor, "n g g"] | None = None


@dataclass(frozen=True, slots=True)
class Embedding:
    """What is compared: one level, or several for a graph.

    Slicing, indexing with a list, an index tensor or a mask gives an Embedding again.

    >>> e = Embedding((Level(torch.eye(3)[:, None]),))
    >>> len(e), len(e[:2]), e.flat().shape
    (3, 2, torch.Size([3, 3]))
    """

    levels: tuple[Level, ...]

    def __post_init__(self) -> None:
        sizes = {len(level.vectors) for level in self.levels}
        if len(sizes) != 1:
            raise ValueError(f"an embedding needs levels over the same images, got {sizes} images")

    @staticmethod
    def of(vectors: Tensor) -> "Embedding":
        """Wrap vectors, n×d or n×g×d, as an embedding of one level; they are used as they are."""
        return Embedding((Level(vectors if vectors.ndim == 3 else vectors[:, None]),))

    @staticmethod
    def cat(pieces: Sequence["Embedding"]) -> "Embedding":
        """Join embeddings of the same model, in order."""
        if not pieces:
            raise ValueError("nothing to join: pass at least one embedding")
        joined = []
        for levels in zip(*(piece.levels for piece in pieces), strict=True):
            certainty = None
            if levels[0].certainty is not None:
                certainty = torch.cat([lv.certainty for lv in levels if lv.certainty is not None])
            joined.append(Level(torch.cat([level.vectors for level in levels]), certainty))
        return Embedding(tuple(joined))

    def __len__(self) -> int:
        return len(self.levels[0].vectors)

    def __getitem__(self, rows: Rows) -> "Embedding":
        if isinstance(rows, int):
            rows = [rows]
        keep = rows if isinstance(rows, slice | Tensor) else torch.as_tensor(rows)
        return self._map(lambda tensor: tensor[keep], links=False)

    def to(self, where: torch.device | str | torch.dtype) -> "Embedding":
        """Return the embedding on another device or in another dtype."""
        return self._map(lambda tensor: tensor.to(where), links=True)

    def detach(self) -> "Embedding":
        """Return the same numbers without their history."""
        return self._map(Tensor.detach, links=True)

    def _map(self, function: Callable[[Tensor], Tensor], *, links: bool) -> "Embedding":
        return Embedding(
            tuple(
                Level(
                    function(level.vectors),
                    None if level.certainty is None else function(level.certainty),
                    function(level.links) if links and level.links is not None else None,
                    None if level.overlap is None else function(level.overlap),
                )
                for level in self.levels
            )
        )

    def flat(self) -> Float[Tensor, "n all"]:
        """Return all vectors side by side, n×D, levels in order, groups in order within them."""
        return torch.cat([level.vectors.flatten(1) for level in self.levels], dim=1)

    def numpy(self) -> npt.NDArray[np.floating[Any]]:
        """Return all vectors side by side, as `flat` does, as a NumPy array; float32 at least."""
        flat = self.flat().detach().cpu()
        array: npt.NDArray[np.floating[Any]] = flat.to(
            torch.promote_types(flat.dtype, torch.float32)
        ).numpy()
        return array

    def save(self, path: str | Path) -> None:
        """Write the embedding as safetensors."""
        tensors = {}
        for i, level in enumerate(self.levels):
            tensors[f"level{i}.vectors"] = level.vectors.detach().cpu().contiguous()
            if level.certainty is not None:
                tensors[f"level{i}.certainty"] = level.certainty.detach().cpu().contiguous()
        save_file(tensors, str(path))

    @staticmethod
    def load(path: str | Path) -> "Embedding":
        """Read what `save` wrote."""
        with safe_open(str(path), framework="pt") as file:
            names = set(file.keys())
            count = sum(name.endswith(".vectors") for name in names)
            levels = []
            for i in range(count):
                certainty = f"level{i}.certainty"
                levels.append(
                    Level(
                        file.get_tensor(f"level{i}.vectors"),
                        file.get_tensor(certainty) if certainty in names else None,
                    )
                )
        return Embedding(tuple(levels))


@dataclass(frozen=True, slots=True)
class Tokens:
    """An embedding before its last sum: law 1 says that the sum over positions is the embedding.

    Args:
        levels: n×g×p×d for each level, positions in row-major order.
        grids: Height and width of each level's map, so that p = height · width.
        certainty: n×g for each level of a graph: the part of the embedding that is no sum. None
            for other methods.
    """

    levels: tuple[Tensor, ...]
    grids: tuple[tuple[int, int], ...]
    certainty: tuple[Tensor, ...] | None = None

    def __len__(self) -> int:
        return len(self.levels[0])

    def __getitem__(self, rows: slice) -> "Tokens":
        return self._map(lambda tensor: tensor[rows])

    def embedding(self) -> Embedding:
        """Return the sum over positions: the embedding of these tokens."""
        certainty = self.certainty or (None,) * len(self.levels)
        return Embedding(
            tuple(
                Level(tokens.sum(dim=2), sure)
                for tokens, sure in zip(self.levels, certainty, strict=True)
            )
        )

    def to(self, where: torch.device | str | torch.dtype) -> "Tokens":
        """Return the tokens on another device or in another dtype."""
        return self._map(lambda tensor: tensor.to(where))

    def _map(self, function: Callable[[Tensor], Tensor]) -> "Tokens":
        certainty = self.certainty
        return Tokens(
            tuple(function(tokens) for tokens in self.levels),
            self.grids,
            None if certainty is None else tuple(function(sure) for sure in certainty),
        )


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The best of a gallery for each query, best first; ties go to the lower id.

    Args:
        ids: Gallery ids; -1 where a query has fewer candidates than k.
        scores: Their scores, bigger is more alike; -inf where there is no candidate.
        tied: Whether the best candidate that is not listed scores the same as the last one in the
            list, so that only the id decided between them.
    """

    ids: Int64[Tensor, "n k"]
    scores: Float[Tensor, "n k"]
    tied: Bool[Tensor, " n"]

    @property
    def tie_share(self) -> float:
        """Share of queries whose last place was decided by id, in [0, 1]."""
        return float(self.tied.double().mean()) if len(self.tied) else 0.0
