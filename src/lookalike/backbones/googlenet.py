"""Inception-v1, as torchvision has it, with its ImageNet weights."""

import pickle
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, Literal

import torch
from torch import nn

from lookalike.backbones.published_weights import missing_weights, reachable
from lookalike.backbones.stage_sequence import StageSequence
from lookalike.backbones.staged_config import StagedConfig, count_stages
from lookalike.errors import WeightsError
from lookalike.preprocessing import Preprocessing

STAGES: dict[str, tuple[str, ...]] = {
    "conv1": ("conv1",),
    "conv2": ("maxpool1", "conv2", "conv3"),
    "inception3": ("maxpool2", "inception3a", "inception3b"),
    "inception4": (
        "maxpool3",
        "inception4a",
        "inception4b",
        "inception4c",
        "inception4d",
        "inception4e",
    ),
    "inception5": ("maxpool4", "inception5a", "inception5b"),
}
"""The modules of each stage by torchvision's names; a stage begins with the pooling before it."""
CHANNELS = (64, 192, 480, 832, 1024)
STRIDES = (2, 4, 8, 16, 32)


class GoogLeNet(StagedConfig):
    """Inception-v1 with batch norm (Szegedy et al. 2015), from torchvision.

    Its stages are conv1, conv2, inception3, inception4 and inception5. Modules keep torchvision's
    names: the pooling before inception4 is `backbone.stages["inception4"].maxpool3`. As in the
    network that the weights come from, the "5×5" branches have 3×3 kernels.

    torchvision fetches the weights once. On a machine without a network, put its file
    googlenet-1378be20.pth in hub/checkpoints under TORCH_HOME (~/.cache/torch).
    """

    kind: Literal["googlenet"] = "googlenet"

    def build(self, *, pretrained: bool | None = None) -> StageSequence:
        """Build the network and load its weights.

        Args:
            pretrained: Overrides `self.pretrained`.

        Raises:
            ConfigError: `stages` or `frozen_stages` is not a number or a name of its stages.
            WeightsError: The weights are not on this machine and cannot be fetched.
        """
        from torchvision.models import googlenet

        count = len(STAGES)
        if self.stages is not None:
            count = count_stages(self.stages, tuple(STAGES), key="stages", least=1)
        net = googlenet(aux_logits=False, init_weights=False)
        if self.pretrained if pretrained is None else pretrained:
            _load_published(net)
        else:
            _initialise(net)
        return StageSequence(
            {name: _stage(net, STAGES[name]) for name in list(STAGES)[:count]},
            channels=CHANNELS[:count],
            strides=STRIDES[:count],
            # The weights expect pixels from -1 to 1. torchvision normalises with ImageNet's mean
            # and standard deviation and converts inside the network, which is left out here.
            preprocessing=Preprocessing(
                size=227,
                resize=256,
                interpolation="bilinear",
                mean=(0.5, 0.5, 0.5),
                std=(0.5, 0.5, 0.5),
            ),
            freeze_batch_norm=self.freeze_batch_norm,
            frozen_stages=self.frozen_stages,
        )


def _stage(net: Any, modules: tuple[str, ...]) -> nn.Module:  # noqa: ANN401
    stage = nn.Sequential()
    for name in modules:
        stage.add_module(name, getattr(net, name))
    return stage


def _initialise(net: nn.Module) -> None:
    """Initialise the kernels so that activations keep their scale with frozen batch norm (He 2015).

    torchvision's own random weights rely on the statistics of the batch; without them, the values
    of the last map would be almost zero.
    """
    for conv in net.modules():
        if isinstance(conv, nn.Conv2d):
            nn.init.kaiming_normal_(conv.weight, nonlinearity="relu")


def _load_published(net: nn.Module) -> None:
    from torchvision.models import GoogLeNet_Weights

    weights = GoogLeNet_Weights.IMAGENET1K_V1
    file = Path(torch.hub.get_dir()) / "checkpoints" / weights.url.rpartition("/")[2]
    try:
        if not file.exists() and not reachable(weights.url):
            raise ConnectionError(f"no answer from {weights.url}")
        with redirect_stdout(sys.stderr):  # torch prints that it downloads
            published = weights.get_state_dict(
                progress=False, check_hash=True, map_location="cpu", weights_only=True
            )
        # this network has no auxiliary classifiers
        net.load_state_dict({k: v for k, v in published.items() if not k.startswith("aux")})
    except OSError as error:
        remedy = f"put {weights.url} at {file}"
        raise missing_weights("googlenet", error, remedy=remedy) from error
    except (RuntimeError, EOFError, pickle.UnpicklingError) as error:
        raise WeightsError(
            f"{file}: not the weights that torchvision publishes "
            f"({' '.join(str(error).split())[:200]}); remove it, and put {weights.url} in its place"
        ) from error
