"""Vision transformers of timm: the tokens of their patches as a map."""

from typing import Annotated, Any, Literal

from jaxtyping import Float
from pydantic import Field
from torch import Tensor, nn

from lookalike.backbones.staged_config import count_stages
from lookalike.backbones.timm import (
    check_name,
    create_network,
    is_plain_transformer,
    published_preprocessing,
)
from lookalike.config import Config
from lookalike.errors import ConfigError, UsageError
from lookalike.preprocessing import Preprocessing
from lookalike.types import FeatureMaps


class ViT(Config):
    """A plain vision transformer by its name in timm, e.g. "vit_small_patch14_dinov2.lvd142m".

    ViT, DeiT, EVA, DINOv2 and DINOv3, and the image towers of CLIP and SigLIP. A head pools the
    tokens of the patches. The class and register tokens, and the network's own pooling and
    projection, are left out, so that an embedding is a sum over positions.

    The weights are fetched from the model hub once. On a machine without a network, copy the cache
    of the hub there (HF_HOME says where it is).
    """

    kind: Literal["vit"] = "vit"
    name: str
    pretrained: bool = True
    image_size: Annotated[int, Field(ge=8, le=4096)] | None = None
    """Side of the input in pixels, a multiple of the patch; position embeddings are resampled.
    None is that of the weights: 518 for DINOv2, which has five times as many patches as 224."""
    blocks: Annotated[tuple[int, ...], Field(min_length=1)] = (-1,)
    """Blocks whose tokens become a map, in ascending order; a negative number counts from the last.
    Blocks above them are not built."""
    frozen_blocks: int | str = 0
    """The blocks, from the input, that are not trained, together with the embedding of patches and
    positions: how many, or the name of the last one, e.g. "blocks.3"."""

    @property
    def label(self) -> str:
        """The name of the network in tables."""
        return self.name

    def build(self, *, pretrained: bool | None = None) -> "ViTBackbone":
        """Build the network and load its weights.

        Args:
            pretrained: Overrides `self.pretrained`.

        Raises:
            ConfigError: timm has no such transformer, or it has no such blocks or size.
            WeightsError: The weights are not on this machine and cannot be fetched.
        """
        check_name(self.name)
        if not is_plain_transformer(self.name):
            raise ConfigError(
                f"backbone: {self.name!r} is not a plain vision transformer; set backbone.kind=timm"
            )
        weights = self.pretrained if pretrained is None else pretrained
        net = create_network(self.name, pretrained=weights, options={"dynamic_img_size": True})
        patch = net.feature_info[0]["reduction"]
        # some weights were trained at a size that is no multiple of the patch
        own = net.pretrained_cfg["input_size"][-1] // patch * patch
        size = own if self.image_size is None else self.image_size
        hint = _size_hint(size, patch)
        if hint:
            raise ConfigError(f"backbone.image_size = {size}: {hint}")
        return ViTBackbone(
            net,
            preprocessing=published_preprocessing(net, size=size),
            blocks=self.blocks,
            frozen_blocks=self.frozen_blocks,
        )


class ViTBackbone(nn.Module):
    """The patch tokens of chosen blocks, n×c×h×w each.

    The map of the last block is taken after the final norm of the network, the others directly
    after their block. In some networks that were trained with average pooling, the norm comes after
    the pooling; it is then left out together with the pooling.

    Args:
        net: Built by timm with `dynamic_img_size`, so that it takes any multiple of its patch.
        preprocessing: The input that its weights expect.
        blocks: As in the config.
        frozen_blocks: As in the config.

    Raises:
        ConfigError: The network has no such blocks.
    """

    def __init__(
        self,
        net: Any,  # noqa: ANN401
        *,
        preprocessing: Preprocessing,
        blocks: tuple[int, ...] = (-1,),
        frozen_blocks: int | str = 0,
    ) -> None:
        super().__init__()
        every = net.feature_info  # of each block, its name, channels and stride
        self._taken = _resolve(blocks, len(every))
        self._normed = self._taken[-1] == len(every) - 1
        net.prune_intermediate_layers(list(self._taken), prune_norm=not self._normed)
        self.net = net
        self.names: tuple[str, ...] = tuple(every[i]["module"] for i in self._taken)
        self.channels: tuple[int, ...] = tuple(every[i]["num_chs"] for i in self._taken)
        self.strides: tuple[int, ...] = tuple(every[i]["reduction"] for i in self._taken)
        self.preprocessing = preprocessing
        built = tuple(block["module"] for block in every[: len(net.blocks)])
        _freeze(net, count_stages(frozen_blocks, built, key="frozen_blocks"))

    def forward(self, images: Float[Tensor, "n 3 h w"]) -> FeatureMaps:
        """Return a map for each chosen block.

        Raises:
            UsageError: The size is no multiple of the patch.
        """
        height, width = images.shape[2:]
        stride = self.strides[0]
        hint = _size_hint(height, stride) or _size_hint(width, stride)
        if hint:
            raise UsageError(f"an input of {width}×{height} pixels (preprocessing.size): {hint}")
        tokens: list[Tensor] = self.net.forward_intermediates(
            images, indices=list(self._taken), output_fmt="NLC", intermediates_only=True
        )
        if self._normed:
            tokens[-1] = self.net.norm(tokens[-1])
        grid = (height // stride, width // stride)
        return FeatureMaps(
            tuple(z.transpose(1, 2).reshape(len(z), -1, *grid) for z in tokens), self.strides
        )


def _resolve(blocks: tuple[int, ...], count: int) -> tuple[int, ...]:
    """Return the blocks counted from the first.

    >>> _resolve((3, -1), 12)
    (3, 11)
    """
    resolved = tuple(block + count if block < 0 else block for block in blocks)
    ascending = sorted(set(resolved)) == list(resolved)
    if not ascending or resolved[0] < 0 or resolved[-1] >= count:
        raise ConfigError(
            f"backbone.blocks = {list(blocks)}: the network has {count} blocks, 0 to {count - 1}; "
            "name each once, in ascending order"
        )
    return resolved


def _freeze(net: Any, count: int) -> None:  # noqa: ANN401
    if count == 0:
        return
    trained = [*net.blocks[count:].parameters(), *net.norm.parameters()]
    net.requires_grad_(False)
    for parameter in trained:
        parameter.requires_grad_(True)


def _size_hint(side: int, patch: int) -> str | None:
    """Say which sizes to use instead of a side that is no multiple of the patch; None if it is.

    >>> _size_hint(230, 14)
    'sides must be a multiple of the patch, 14 pixels; take 224 or 238'
    >>> _size_hint(224, 14)
    """
    if side % patch == 0:
        return None
    below = side // patch * patch
    sizes = f"{below} or {below + patch}" if below else str(patch)
    return f"sides must be a multiple of the patch, {patch} pixels; take {sizes}"
