"""The recipes of deep grouping metric learning (Xu et al. 2020, arXiv 2011.08877; METHODS 1).

One function for the rows of the paper's comparison of groupings, and one for its own models. The
docstring of `_recipe` says what the paper leaves open and what is chosen here.
"""

from typing import Literal, get_args

from lookalike.backbones import BackboneConfig, GoogLeNet, Timm
from lookalike.data import Augmentation
from lookalike.heads import Attentive, Channel, Gated, HeadConfig, LinearGroups, Single
from lookalike.losses import (
    BinomialDeviance,
    Contrastive,
    Diversity,
    LossConfig,
    Margin,
    ObjectiveConfig,
)
from lookalike.model import ModelConfig
from lookalike.recipes.family import family
from lookalike.recipes.recipe import EvaluationConfig, Recipe
from lookalike.training import Adam, StepDecay, TrainConfig

Grouping = Literal["n", "m", "g", "c", "a"]
LossName = Literal["contrastive", "binomial", "margin"]
BackboneName = Literal["inception_v1", "resnet50"]
DataName = Literal["cub", "cars", "sop", "inshop"]

KS: dict[str, tuple[int, ...]] = {
    "cub": (1, 2, 4, 8),
    "cars": (1, 2, 4, 8),
    "sop": (1, 2, 10, 100, 1000),
    "inshop": (1, 2, 10, 20, 30, 40, 50),
}
"""Ranks of recall that are published for each data set, and 2, which the paper always gives."""

_RATES = {"inception_v1": 2e-5, "resnet50": 1e-5}
_BACKBONES: dict[str, BackboneConfig] = {
    "inception_v1": GoogLeNet(),
    "resnet50": Timm(name="resnet50.tv_in1k"),
}
GROUPING_HEADS: dict[str, HeadConfig] = {
    "n": Single(),
    "m": LinearGroups(groups=4),
    "g": Gated(groups=4),
    "c": Channel(groups=4),
    "a": Attentive(groups=4),
}
"""The five heads of the comparison: four groups each, except N."""
_LOSSES: dict[str, LossConfig] = {
    "contrastive": Contrastive(),
    "binomial": BinomialDeviance(),
    "margin": Margin(),
}


def grouping(
    method: Grouping = "a",
    *,
    loss: LossName = "margin",
    backbone: BackboneName = "resnet50",
    data: DataName = "cub",
) -> Recipe:
    """A row of the paper's comparison of groupings: four groups, everything else the same.

    Args:
        method: N one embedding, M linear layers, G gates, C channel weights, A attention.
        loss: On each group, averaged over the groups.
        backbone: With ImageNet weights and frozen batch norm.
        data: Decides the ranks of recall only. The pictures themselves are given to `train`.
    """
    return _recipe(
        f"grouping-{method}-{loss}-{backbone}-{data}",
        head=GROUPING_HEADS[method],
        loss=loss,
        backbone=backbone,
        data=data,
        diversity=0.01,
        weight_decay=0.001,
    )


def attentive_grouping(
    *,
    loss: LossName = "margin",
    backbone: BackboneName = "resnet50",
    data: DataName = "cub",
) -> Recipe:
    """The paper's own model: three attentive groups of 170 numbers.

    Args:
        loss: On each group, averaged over the groups.
        backbone: With ImageNet weights and frozen batch norm.
        data: Decides the ranks of recall only. The pictures themselves are given to `train`.
    """
    return _recipe(
        f"attentive-grouping-{loss}-{backbone}-{data}",
        head=Attentive(groups=3),
        loss=loss,
        backbone=backbone,
        data=data,
        diversity=0.02,
        weight_decay=0.003,
    )


def _recipe(
    name: str,
    *,
    head: HeadConfig,
    loss: LossName,
    backbone: BackboneName,
    data: DataName,
    diversity: float,
    weight_decay: float,
) -> Recipe:
    """Build a recipe from what all models of the paper share.

    The paper leaves three things open, and they are chosen here: the rate of the margin loss's
    boundaries; the number of epochs within "100 to 150"; and a share of the training classes, not
    the test set, to choose the best epoch.
    """
    return Recipe(
        name=name,
        model=ModelConfig(backbone=_BACKBONES[backbone], head=head),
        objective=ObjectiveConfig(
            loss=_LOSSES[loss],
            diversity=Diversity(weight=diversity, normalisation="released"),
        ),
        augmentation=Augmentation(crop="resized", flip=0.5),
        train=TrainConfig(
            epochs=100,
            classes_per_batch=56,
            images_per_class=2,
            optimizer=Adam(
                lr=_RATES[backbone],
                loss_lr=5e-4,
                weight_decay=weight_decay,
                decays={"queries": 0.001},
            ),
            schedule=StepDecay(milestones=(55,), gamma=0.3),
            workers=4,
        ),
        evaluation=EvaluationConfig(ks=KS[data], workers=4),
    )


_CHOICES = {
    "loss": get_args(LossName),
    "backbone": get_args(BackboneName),
    "data": get_args(DataName),
}
GROUPINGS = family("grouping", grouping, {"method": get_args(Grouping), **_CHOICES})
ATTENTIVE_GROUPINGS = family("attentive-grouping", attentive_grouping, _CHOICES)
