"""A model is a backbone, a head and a similarity, with the preprocessing they were made for."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
from jaxtyping import Float, Int64
from PIL import Image
from pydantic import Field
from safetensors.torch import save_file
from torch import Tensor, nn

from lookalike.backbones import BackboneConfig, backbone_named
from lookalike.calibration import Calibration
from lookalike.config import Config
from lookalike.data import Catalog, EvaluationBatches, Picture, read_for, to_inputs
from lookalike.errors import ConfigError, ImageError, UsageError
from lookalike.files import replace, replace_text
from lookalike.heads import HeadConfig, Single
from lookalike.preprocessing import Preprocessing
from lookalike.progress import Progress
from lookalike.protocols import Head, TrainableSimilarity
from lookalike.similarity import SimilarityConfig, similarity_of
from lookalike.types import Embedding, FeatureMaps, Tokens
from lookalike.versions import training_versions

FORMAT = 1
WEIGHTS = "model.safetensors"
CONFIG = "config.json"


def _similarity_of_head(valid: dict[str, Any]) -> SimilarityConfig:
    """Return the similarity that fits the head, if the head is among the valid keys."""
    head: HeadConfig = valid.get("head", Single())
    return similarity_of(head.similarity)


class ModelConfig(Config):
    """Everything that is needed to build a model, before its weights."""

    backbone: BackboneConfig
    head: HeadConfig
    similarity: SimilarityConfig = Field(default_factory=_similarity_of_head)
    """By default the one that fits the head: a mean of cosines, or the graph for levels."""
    dim: Annotated[int, Field(ge=1)] = 512
    """Numbers in the embedding, all groups together; each group gets dim // groups. In a graph,
    numbers in each level: its nodes."""
    preprocessing: Preprocessing | None = None
    """None is what the backbone's weights expect."""

    def build(self, *, pretrained: bool | None = None) -> "Model":
        """Build the model.

        Args:
            pretrained: Overrules the backbone's own setting; False where weights are loaded next.

        Raises:
            ConfigError: The parts do not fit together.
            WeightsError: The published weights are not here and cannot be fetched.
        """
        return Model(self, pretrained=pretrained)


class SavedModel(Config):
    """What the `config.json` of a run folder holds."""

    format: int = FORMAT
    """It is raised when older versions of this library can no longer read the folder."""
    model: ModelConfig
    preprocessing: Preprocessing
    class_names: tuple[str, ...] = ()
    """Classes it was trained on, in the order of their codes."""
    calibration: Calibration | None = None
    recipe: dict[str, Any] | None = None
    """The whole recipe that made it; None for a model that was not trained here."""
    data: dict[str, Any] | None = None
    """The data that it was trained, chosen and measured on."""
    versions: dict[str, str] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EmbeddedCatalog:
    """A catalog's embedding, aligned with the rows that could be read.

    Args:
        embedding: One entry for each row in `rows`.
        rows: The catalog's rows, ascending; all of them unless pictures were skipped.
        failures: The pictures that could not be read, with their rows.
    """

    embedding: Embedding
    rows: Int64[Tensor, " n"]
    failures: tuple[ImageError, ...]


class Model(nn.Module):
    """Pictures in, embeddings out, and the similarity that compares them.

    Args:
        config: What to build.
        pretrained: Overrules the backbone's own setting.

    Attributes:
        backbone: From pixels to maps: all stages that the head has not taken over.
        preprocessing: How every picture is prepared; saved with the model.
        class_names: Classes it was trained on, in the order of their codes.
        calibration: What its scores mean, once measured.
    """

    def __init__(self, config: ModelConfig, *, pretrained: bool | None = None) -> None:
        super().__init__()
        if config.similarity.kind != config.head.similarity:
            raise ConfigError(
                f"head.kind={config.head.kind} with similarity.kind={config.similarity.kind}: "
                f"this head goes with similarity.kind={config.head.similarity}"
            )
        self.config = config
        backbone = config.backbone.build(pretrained=pretrained)
        self.head: Head
        self.backbone, self.head = config.head.attach(backbone, config.dim)
        self.similarity: TrainableSimilarity = config.similarity.build(
            self.head.groups, self.head.levels
        )
        self.preprocessing = config.preprocessing or self.backbone.preprocessing
        self.class_names: tuple[str, ...] = ()
        self.calibration: Calibration | None = None

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.parameters()).device

    def pretrained_parameters(self) -> list[nn.Parameter]:
        """Return the backbone's parameters and what a head took over from it or copied.

        They start from the published weights, and are trained at the backbone's rate.
        """
        return [*self.backbone.parameters(), *self.head.pretrained_parameters()]

    def features(self, images: Float[Tensor, "n 3 h w"]) -> FeatureMaps:
        """Return the backbone's maps of normalised pixels."""
        maps: FeatureMaps = self.backbone(images.contiguous(memory_format=torch.channels_last))
        return maps

    def forward(self, images: Float[Tensor, "n 3 h w"]) -> Embedding:
        """Embed normalised pixels."""
        embedding: Embedding = self.head(self.features(images))
        return embedding

    def _inputs(self, pictures: Sequence[Picture]) -> Float[Tensor, "n 3 h w"]:
        read = [read_for(picture, self.preprocessing) for picture in pictures]
        return to_inputs(read, self.preprocessing).to(self.device)

    @torch.no_grad()
    def embed(self, pictures: Picture | Sequence[Picture], *, batch_size: int = 64) -> Embedding:
        """Embed one picture or several, in order, in eval mode; the result is on the CPU.

        Args:
            pictures: A path, a PIL image or a uint8 array (height, width, 3), or a list of them.
                One picture gives an embedding of length 1.
            batch_size: How many go through the network at once.

        Raises:
            ImageError: A picture cannot be read; it is named.
            UsageError: There are no pictures.
        """
        several = _as_list(pictures)
        if not several:
            raise UsageError("nothing to embed: pass at least one picture")
        with evaluating(self):
            pieces = [
                self(self._inputs(several[start : start + batch_size])).to("cpu")
                for start in range(0, len(several), batch_size)
            ]
        return Embedding.cat(pieces)

    @torch.no_grad()
    def tokens(self, pictures: Sequence[Picture]) -> Tokens:
        """Return the embedding of a few pictures before its sum over positions, on the CPU."""
        with evaluating(self):
            maps = self.features(self._inputs(pictures))
            tokens: Tokens = self.head.tokens(maps)
        return tokens.to("cpu")

    @torch.no_grad()
    def embed_catalog(
        self,
        catalog: Catalog,
        *,
        batch_size: int = 64,
        workers: int = 0,
        skip_bad: bool = False,
        progress: Progress | None = None,
    ) -> EmbeddedCatalog:
        """Embed a whole catalog, in the order of its rows.

        Args:
            catalog: Which pictures.
            batch_size: How many go through the network at once.
            workers: Processes that read pictures; 0 reads them here.
            skip_bad: Leave out pictures that cannot be read, and report them, instead of raising.
            progress: Called after each batch with how many are done, of how many.

        Raises:
            ImageError: A picture cannot be read and `skip_bad` is False.
        """
        pieces: list[Embedding] = []
        rows: list[Tensor] = []
        batches = EvaluationBatches(
            catalog, self.preprocessing, batch_size=batch_size, workers=workers, skip_bad=skip_bad
        )
        with evaluating(self):
            for batch in batches:
                pieces.append(self(batch.images.to(self.device)).to("cpu"))
                rows.append(batch.ids)
                if progress is not None:
                    progress(int(batch.ids[-1]) + 1, len(catalog))
        if not pieces:
            raise ImageError(str(catalog.root), "no picture of this catalog could be read")
        return EmbeddedCatalog(Embedding.cat(pieces), torch.cat(rows), tuple(batches.failures))

    def save(
        self,
        folder: str | Path,
        *,
        recipe: Mapping[str, Any] | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the model to a folder, which `lookalike.load` reads.

        Each file is replaced in one step.

        Args:
            folder: Made if it is not there.
            recipe: The recipe that made the model, as plain values.
            data: The data that it was trained on, as plain values.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        weights = {name: t.detach().cpu().contiguous() for name, t in self.state_dict().items()}
        replace(folder / WEIGHTS, lambda path: save_file(weights, str(path)))
        saved = SavedModel(
            model=self.config,
            preprocessing=self.preprocessing,
            class_names=self.class_names,
            calibration=self.calibration,
            recipe=None if recipe is None else dict(recipe),
            data=None if data is None else dict(data),
            versions=training_versions(),
        )
        replace_text(folder / CONFIG, saved.model_dump_json(indent=1) + "\n")


def _as_list(pictures: Picture | Sequence[Picture]) -> list[Picture]:
    """Return the pictures as a list; one picture alone becomes a list of one."""
    if isinstance(pictures, str | Path | Image.Image):
        return [pictures]
    if isinstance(pictures, np.ndarray) and pictures.ndim <= 3:
        return [pictures]
    return list(pictures)


@contextmanager
def evaluating(module: nn.Module) -> Iterator[None]:
    """Put a module in eval mode for the length of a `with`, then back as it was."""
    was_training = module.training
    module.eval()
    try:
        yield
    finally:
        module.train(was_training)


def create_model(
    backbone: BackboneConfig | str,
    *,
    head: HeadConfig | None = None,
    dim: int = 512,
    similarity: SimilarityConfig | None = None,
    preprocessing: Preprocessing | None = None,
    pretrained: bool | None = None,
) -> Model:
    """Make a model from its parts.

    Args:
        backbone: A config of `lookalike.backbones`, or a name: "efficientnet_lite0" (weights come
            with the installation), "tiny" (for tests), or any network of timm.
        head: A config of `lookalike.heads`; a single embedding by default.
        dim: Numbers in the embedding, all groups together; in a graph, in each level.
        similarity: A config of `lookalike.similarity`; by default the one that fits the head: the
            mean of the groups' cosines, or the graph for levels.
        preprocessing: How pictures are prepared; what the weights expect by default.
        pretrained: Overrules the backbone's own setting, which is to load its published weights
            unless its config says otherwise.

    Raises:
        ConfigError: The backbone's name is unknown, or parts do not fit together.
        WeightsError: The weights are not here and cannot be fetched.
    """
    head = head or Single()
    config = ModelConfig(
        backbone=backbone_named(backbone) if isinstance(backbone, str) else backbone,
        head=head,
        similarity=similarity or similarity_of(head.similarity),
        dim=dim,
        preprocessing=preprocessing,
    )
    return config.build(pretrained=pretrained)
