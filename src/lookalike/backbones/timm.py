"""Networks of timm with stages, with their published weights."""

import difflib
from typing import Any, Literal

import torch
from torch import nn

from lookalike.backbones.published_weights import missing_weights, offline_if_unreachable
from lookalike.backbones.staged_config import StagedConfig, count_stages
from lookalike.backbones.timm_network import StagedNetwork
from lookalike.errors import ConfigError
from lookalike.preprocessing import Preprocessing


class Timm(StagedConfig):
    """A network by its name in timm, e.g. "resnet50.tv_in1k"; its stages have timm's names.

    Plain vision transformers have no stages: they have the kind "vit".
    """

    kind: Literal["timm"] = "timm"
    name: str
    output_stride: Literal[8, 16, 32] | None = None
    """Largest stride; below the network's own, later stages keep the size, and maps are finer."""
    dilate: bool = True
    """Whether the kernels of those stages are dilated, to keep the receptive field. Without, it is
    smaller, and they are much faster on a CPU: the "last stride 1" of re-identification."""

    @property
    def label(self) -> str:
        """What tables call the network."""
        return self.name

    def build(self, *, pretrained: bool | None = None) -> StagedNetwork:
        """Build the network and load its weights.

        Args:
            pretrained: Overrides `self.pretrained`.

        Raises:
            ConfigError: timm has no network of this name, or it cannot give maps.
            WeightsError: The weights are not on this machine and cannot be fetched.
        """
        weights = self.pretrained if pretrained is None else pretrained
        net = create_features(
            self.name,
            output_stride=self.output_stride,
            stages=self.stages,
            pretrained=weights,
        )
        return StagedNetwork(
            net,
            preprocessing=published_preprocessing(net),
            freeze_batch_norm=self.freeze_batch_norm,
            frozen_stages=self.frozen_stages,
            dilate=self.dilate,
        )


def create_features(
    name: str, *, output_stride: int | None, stages: int | str | None, pretrained: bool
) -> nn.Module:
    """Build a network of timm that returns the map of every stage.

    Args:
        name: Its name in timm.
        output_stride: Largest stride; None is the network's own.
        stages: How many, from the input, or the name of the last one; None is all.
        pretrained: Whether to load the published weights.

    Raises:
        ConfigError: timm has no network of this name, or it cannot give maps.
        WeightsError: The weights are not on this machine and cannot be fetched.
    """
    check_name(name)
    if is_plain_transformer(name):
        raise ConfigError(
            f"backbone: {name!r} is a plain vision transformer, without stages; set "
            "backbone.kind=vit"
        )
    options: dict[str, Any] = {"features_only": True}
    if output_stride is not None:
        options["output_stride"] = output_stride
    if stages is not None:
        with torch.device("meta"):  # only to read the names of its stages
            info = create_network(name, pretrained=False, options=options).feature_info
        count = count_stages(stages, tuple(info.module_name()), key="stages", least=1)
        options["out_indices"] = tuple(info.out_indices[:count])
    return _without_unused_blocks(create_network(name, pretrained=pretrained, options=options))


def check_name(name: str) -> None:
    """Check that timm has a network of this name.

    Raises:
        ConfigError: It has none; the message names the closest.
    """
    import timm

    if not timm.is_model(name):
        close = difflib.get_close_matches(name.split(".")[0], timm.list_models(), n=4)
        hint = f"; did you mean {', '.join(close)}?" if close else ""
        raise ConfigError(f"backbone: timm has no network {name!r}{hint}")


def is_plain_transformer(name: str) -> bool:
    """Whether timm's network of this name is a ViT whose blocks all have the same resolution."""
    from timm.models import is_model_in_modules

    return bool(is_model_in_modules(name, ("vision_transformer", "deit", "eva")))


def create_network(name: str, *, pretrained: bool, options: dict[str, Any]) -> Any:  # noqa: ANN401
    """Call timm, and turn its errors into errors that say what to do.

    Args:
        name: One that timm has.
        pretrained: Whether to load the published weights.
        options: Further arguments of `timm.create_model`.

    Raises:
        ConfigError: The network refuses the options.
        WeightsError: The weights are not on this machine and cannot be fetched.
    """
    import timm

    try:
        with offline_if_unreachable(pretrained):
            return timm.create_model(name, pretrained=pretrained, **options)
    except OSError as error:  # every error of the hub's client is an OSError
        remedy = (
            "run once where the model hub can be reached, then copy its cache here (HF_HOME says "
            "where)"
        )
        raise missing_weights(name, error, remedy=remedy) from error
    except (RuntimeError, TypeError, AttributeError, AssertionError, IndexError) as error:
        asked = ", ".join(f"{key} = {value}" for key, value in options.items())
        raise ConfigError(
            f"backbone: {name!r} cannot be built with {asked} "
            f"({' '.join(str(error).split())[:200]}); choose another network"
        ) from error


def _without_unused_blocks(net: Any) -> nn.Module:  # noqa: ANN401
    """Remove the blocks after the last map, which timm keeps in EfficientNet and the like."""
    group, _, last = net.feature_info.module_name()[-1].partition(".")
    if (
        group == "blocks"
        and last.isdigit()
        and isinstance(getattr(net, "blocks", None), nn.Sequential)
    ):
        net.blocks = net.blocks[: int(last) + 1]
    module: nn.Module = net
    return module


def published_preprocessing(net: Any, *, size: int | None = None) -> Preprocessing:  # noqa: ANN401
    """Return the preprocessing that the published weights of a timm network expect.

    Args:
        net: Built by timm.
        size: Side of the input in pixels; None is that of the weights.
    """
    published = net.pretrained_cfg
    size = size or published.get("input_size", (3, 224, 224))[-1]
    squash = published.get("crop_mode") == "squash"
    return Preprocessing(
        size=size,
        resize=None if squash else round(size / published.get("crop_pct", 0.875)),
        fit="stretch" if squash else "crop",
        interpolation="bilinear" if published.get("interpolation") == "bilinear" else "bicubic",
        mean=tuple(published["mean"]),
        std=tuple(published["std"]),
    )
