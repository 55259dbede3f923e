"""Any network of timm, with its published weights, as stages."""

import difflib
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from torch import nn

from lookalike.backbones.staged import StagedConfig, StagedNetwork
from lookalike.errors import ConfigError, WeightsError
from lookalike.preprocessing import Preprocessing


class Timm(StagedConfig):
    """A network by its name in timm, e.g. "resnet50.tv_in1k"."""

    kind: Literal["timm"] = "timm"
    name: str

    def build(self, *, pretrained: bool | None = None) -> StagedNetwork:
        """Build the network and load its weights.

        Args:
            pretrained: Overrules `self.pretrained`.

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
            preprocessing=_preprocessing(net),
            freeze_batch_norm=self.freeze_batch_norm,
            frozen_stages=self.frozen_stages,
            dilate=self.dilate,
        )


def create_features(
    name: str, *, output_stride: int | None, stages: int | None, pretrained: bool
) -> nn.Module:
    """Make a timm network that returns the map of every stage.

    Args:
        name: As timm has it.
        output_stride: Largest stride, or the network's own.
        stages: How many, counted from the input, or all.
        pretrained: Whether to load the published weights.

    Raises:
        ConfigError: timm has no network of this name, or it cannot give maps.
        WeightsError: The weights are not on this machine and cannot be fetched.
    """
    import timm

    if not timm.is_model(name):
        close = difflib.get_close_matches(name.split(".")[0], timm.list_models(), n=4)
        hint = f"; did you mean {', '.join(close)}?" if close else ""
        raise ConfigError(f"backbone: timm has no network {name!r}{hint}")
    options: dict[str, Any] = {}
    if output_stride is not None:
        options["output_stride"] = output_stride
    if stages is not None:
        options["out_indices"] = tuple(range(stages))
    try:
        with _offline_if_unreachable(pretrained):
            net = timm.create_model(name, pretrained=pretrained, features_only=True, **options)
    except OSError as error:  # what the hub's client raises, of every kind, is an OSError
        raise WeightsError(_no_weights(name, error)) from error
    except (RuntimeError, TypeError, AttributeError, AssertionError, IndexError) as error:
        asked = "".join(
            f" with {key} = {value}"
            for key, value in (("output_stride", output_stride), ("stages", stages))
            if value is not None
        )
        raise ConfigError(
            f"backbone: {name!r} cannot give the maps of its stages{asked} "
            f"({' '.join(str(error).split())[:200]}); choose another network"
        ) from error
    return _without_unused_blocks(net)


def _without_unused_blocks(net: Any) -> nn.Module:  # noqa: ANN401
    """Cut off what comes after the last map, which timm leaves in EfficientNets and their kin."""
    room, _, last = net.feature_info.module_name()[-1].partition(".")
    if (
        room == "blocks"
        and last.isdigit()
        and isinstance(getattr(net, "blocks", None), nn.Sequential)
    ):
        net.blocks = net.blocks[: int(last) + 1]
    module: nn.Module = net
    return module


def _no_weights(name: str, error: OSError) -> str:
    return (
        f"the weights of {name!r} are not on this machine and could not be fetched "
        f"({type(error).__name__}). Choose one: run once where the model hub can be reached, then "
        "copy its cache here (HF_HOME says where); take the backbone efficientnet_lite0, whose "
        "weights are installed with lookalike; or set backbone.pretrained=false to start from "
        "random weights"
    )


@contextmanager
def _offline_if_unreachable(needed: bool) -> Iterator[None]:
    """Let the hub's client look in its cache alone where the hub cannot be reached.

    It would otherwise repeat each request for most of a minute before it says so.
    """
    from huggingface_hub import constants

    before = constants.HF_HUB_OFFLINE
    if needed and not before:
        constants.HF_HUB_OFFLINE = not _reachable(constants.ENDPOINT)
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before


def _reachable(address: str) -> bool:
    try:
        urllib.request.urlopen(urllib.request.Request(address, method="HEAD"), timeout=5).close()
    except urllib.error.HTTPError:
        return True  # it answered
    except (OSError, ValueError):
        return False
    return True


def _preprocessing(net: Any) -> Preprocessing:  # noqa: ANN401
    published = net.pretrained_cfg
    size = published.get("input_size", (3, 224, 224))[-1]
    return Preprocessing(
        size=size,
        resize=round(size / published.get("crop_pct", 0.875)),
        interpolation="bilinear" if published.get("interpolation") == "bilinear" else "bicubic",
        mean=tuple(published["mean"]),
        std=tuple(published["std"]),
    )
