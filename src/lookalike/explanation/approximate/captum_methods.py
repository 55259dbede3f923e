"""The attributions of captum that explain a pair, by name: what each is, and how it is asked."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from lookalike.errors import UsageError
from lookalike.explanation.saliency.gradients import path_rule

Attribute = Callable[[nn.Module, Tensor, Tensor], Tensor]
"""A method of your own: takes the network of the score, pixels n×3×s×s and the number of each row,
to be passed on to the network; returns values n×3×s×s, or maps n×c×h×w of a layer."""
AnyMethod = str | type | Attribute
"""A name of `CAPTUM_METHODS`, an attribution class of captum, or a function of your own."""


@dataclass(frozen=True, slots=True)
class CaptumMethod:
    """One of captum's attributions.

    Args:
        class_name: In `captum.attr`.
        label: In words.
        complete: Whether its values add up to the change of the score from the baseline.
        cells: Rows and columns of the map, at most; a method that hides cells scores each of them.
    """

    class_name: str
    label: str
    complete: bool = False
    cells: int = 16


CAPTUM_METHODS: Mapping[str, CaptumMethod] = {
    "integrated_gradients": CaptumMethod("IntegratedGradients", "integrated gradients", True),
    "saliency": CaptumMethod("Saliency", "the size of the gradient"),
    "input_x_gradient": CaptumMethod("InputXGradient", "gradient × input"),
    "guided_backprop": CaptumMethod("GuidedBackprop", "guided backpropagation"),
    "deconvolution": CaptumMethod("Deconvolution", "deconvolution"),
    "deep_lift": CaptumMethod("DeepLift", "DeepLift", True),
    "occlusion": CaptumMethod("Occlusion", "occlusion"),
    "feature_ablation": CaptumMethod("FeatureAblation", "ablation of cells"),
    "shapley_values": CaptumMethod("ShapleyValueSampling", "sampled Shapley values", True, 6),
    "kernel_shap": CaptumMethod("KernelShap", "Kernel SHAP", False, 6),
    "grad_cam": CaptumMethod("LayerGradCam", "Grad-CAM"),
    "guided_grad_cam": CaptumMethod("GuidedGradCam", "guided Grad-CAM"),
    "layer_activation": CaptumMethod("LayerActivation", "a layer's activation"),
    "layer_gradient_x_activation": CaptumMethod(
        "LayerGradientXActivation", "gradient × activation of a layer"
    ),
    "layer_integrated_gradients": CaptumMethod(
        "LayerIntegratedGradients", "integrated gradients of a layer", True
    ),
    "layer_conductance": CaptumMethod("LayerConductance", "conductance of a layer", True),
    "layer_deep_lift": CaptumMethod("LayerDeepLift", "DeepLift of a layer", True),
    "internal_influence": CaptumMethod("InternalInfluence", "internal influence of a layer"),
}
"""Every name that `explain(..., method=...)` takes for any network."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A method that was asked for.

    Args:
        name: In code and files.
        about: What is known of it.
        kind: A class of captum; None for a function of the caller's own.
        function: The caller's own function.
    """

    name: str
    about: CaptumMethod
    kind: type[Any] | None = None
    function: Attribute | None = None

    @property
    def options(self) -> frozenset[str]:
        """What the method can be told, by captum's names; nothing for a function."""
        return frozenset(() if self.kind is None else signature(self.kind.attribute).parameters)

    @property
    def needs_layer(self) -> bool:
        """Whether it explains a layer."""
        return self.kind is not None and "layer" in signature(self.kind).parameters

    @property
    def hides_cells(self) -> bool:
        """Whether it hides cells: then all pixels of a cell have the value of the cell."""
        return "feature_mask" in self.options or "sliding_window_shapes" in self.options


def choose(method: AnyMethod) -> Chosen:
    """Return a method by its name, or a class of captum or a function as it is.

    Raises:
        UsageError: There is no method of this name.
    """
    import captum.attr

    if isinstance(method, str):
        if method not in CAPTUM_METHODS:
            raise UsageError(
                f"there is no method {method!r}; there are {', '.join(CAPTUM_METHODS)}, and any "
                "attribution of captum can be passed as a class"
            )
        about = CAPTUM_METHODS[method]
        return Chosen(method, about, getattr(captum.attr, about.class_name))
    name = getattr(method, "__name__", type(method).__name__)
    if not isinstance(method, type):
        return Chosen(name, CaptumMethod("", name), function=method)
    for known, about in CAPTUM_METHODS.items():
        if about.class_name == name:
            return Chosen(known, about, method)
    return Chosen(name, CaptumMethod(name, name), method)


def attribute(
    chosen: Chosen,
    score: nn.Module,
    inputs: Float[Tensor, "n 3 s s"],
    *,
    start: Float[Tensor, "n 3 s s"],
    layer: nn.Module | None,
    steps: int,
    cells: int,
    batch_size: int,
) -> Float[Tensor, "n c h w"]:
    """Ask a method where the scores of pictures come from.

    Args:
        chosen: Which.
        score: Takes pixels and the numbers of rows.
        inputs: Normalised pixels.
        start: Baselines; hidden cells show them too.
        layer: For methods that explain a layer.
        steps: Points on a path from a baseline.
        cells: Rows and columns that are hidden one by one.
        batch_size: Pictures that go through the network at once.

    Raises:
        UsageError: The method fits neither the network nor the layer.
    """
    rows = torch.arange(len(inputs), device=inputs.device)
    inputs = inputs.clone().requires_grad_()
    side = -(-inputs.shape[-1] // cells)
    offered: dict[str, Any] = {
        "additional_forward_args": rows,
        "baselines": start,
        "n_steps": steps,
        "method": path_rule(steps),
        "internal_batch_size": max(batch_size, len(inputs)),
        "sliding_window_shapes": (3, side, side),
        "strides": (3, side, side),
        "feature_mask": cell_numbers(inputs.shape[-1], cells, inputs.device)[None, None],
        "perturbations_per_eval": max(1, batch_size // len(inputs)),
    }
    try:
        if chosen.kind is None:
            assert chosen.function is not None
            values = chosen.function(score, inputs, rows)
        else:
            built = chosen.kind(score, layer) if chosen.needs_layer else chosen.kind(score)
            options = {name: offered[name] for name in offered if name in chosen.options}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # captum says that it sets hooks
                values = built.attribute(inputs, **options)
    except (RuntimeError, ValueError, TypeError, AssertionError, AttributeError) as error:
        raise UsageError(f"{chosen.name} does not fit this network: {error}") from error
    if not isinstance(values, Tensor) or values.ndim != 4 or len(values) != len(inputs):
        got = tuple(values.shape) if isinstance(values, Tensor) else type(values).__name__
        raise UsageError(
            f"{chosen.name} gave {got} and no map n×c×h×w: name a layer= whose output is a map"
        )
    return values.detach()


def cell_numbers(size: int, cells: int, device: torch.device) -> Int64[Tensor, "s s"]:
    """Return the number of the cell of each pixel."""
    places = torch.arange(size, device=device) * cells // size
    return places[:, None] * cells + places


def last_map(network: nn.Module, images: Float[Tensor, "n 3 s s"]) -> nn.Module:
    """Return the last layer of a network, in the order of computing, whose output is a map.

    Raises:
        UsageError: No layer gives a map.
    """
    seen: list[nn.Module] = []

    def note(module: nn.Module, _: object, output: object) -> None:
        if isinstance(output, Tensor) and output.ndim == 4 and min(output.shape[2:]) > 1:
            seen.append(module)

    leaves = [module for module in network.modules() if not list(module.children())]
    hooks = [leaf.register_forward_hook(note) for leaf in leaves]
    try:
        with torch.no_grad():
            network(images)
    finally:
        for hook in hooks:
            hook.remove()
    if not seen:
        raise UsageError(
            f"no layer of {type(network).__name__} gives a map n×c×h×w: this method needs one, "
            "take another method or name a layer="
        )
    return seen[-1]
