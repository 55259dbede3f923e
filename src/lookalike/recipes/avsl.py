"""The recipes of attributable visual similarity learning (Zhang et al. 2022, arXiv 2203.14932).

METHODS 3 has the equations. The docstring of `avsl` says what the paper leaves open and what is
chosen here.
"""

from typing import Literal, get_args

from lookalike.backbones import Timm
from lookalike.data import Augmentation
from lookalike.heads import Levels
from lookalike.losses import LossConfig, Margin, ObjectiveConfig, ProxyAnchor
from lookalike.model import ModelConfig
from lookalike.recipes.family import family
from lookalike.recipes.grouping import KS
from lookalike.recipes.recipe import EvaluationConfig, Recipe
from lookalike.similarity import Graph
from lookalike.training import AdamW, StepDecay, TrainConfig

LossName = Literal["margin", "proxy_anchor"]
DataName = Literal["cub", "cars", "sop"]

# On the distance d = 2 − 2s these are the numbers of the paper: scale 16, margins 1.8 and 2.2.
_LOSSES: dict[str, LossConfig] = {
    "margin": Margin(margin=0.2, boundary=1.2),
    "proxy_anchor": ProxyAnchor(scale=32.0, margin=0.1),
}
_LEVEL_WEIGHTS = {"cub": (0.5, 1.0, 0.5), "cars": (1.0, 4.0, 4.0), "sop": (1.0, 4.0, 4.0)}
_BATCHES = {"cub": (45, 4), "cars": (45, 4), "sop": (90, 2)}


def avsl(loss: LossName = "proxy_anchor", *, data: DataName = "cub") -> Recipe:
    """AVSL on ResNet-50: a graph of 512 nodes at each of three stages.

    The paper leaves these open, and they are chosen here: a batch of 180 is 45 classes × 4
    pictures, for SOP 90 × 2, since many of its classes have no more than two; 40 epochs, with the
    rates halved every 10 epochs ("every 5 to 10"); a share of the training classes, not the test
    set, chooses the best epoch. Rates are published for CUB only and are used for all three data
    sets. No rate is given for the boundaries of the margin loss: they learn at that of the proxies.

    Args:
        loss: On the final distance and, with weights of its own, on each level.
        data: Decides the levels' weights, the batch and the ranks of recall. The pictures
            themselves are given to `train`.
    """
    classes, images = _BATCHES[data]
    return Recipe(
        name=f"avsl-{loss}-{data}",
        model=ModelConfig(
            backbone=Timm(name="resnet50.tv_in1k"),
            head=Levels(stages=("layer2", "layer3", "layer4")),
            similarity=Graph(),
            dim=512,
        ),
        objective=ObjectiveConfig(loss=_LOSSES[loss], level_weights=_LEVEL_WEIGHTS[data]),
        augmentation=Augmentation(crop="random", flip=0.5),
        train=TrainConfig(
            epochs=40,
            classes_per_batch=classes,
            images_per_class=images,
            optimizer=AdamW(
                lr=1e-5, head_lr=5.5e-4, similarity_lr=1.1e-4, loss_lr=1.1e-4, weight_decay=1e-4
            ),
            schedule=StepDecay(milestones=(10, 20, 30), gamma=0.5),
            frozen_backbone_epochs=5,
            workers=4,
        ),
        evaluation=EvaluationConfig(ks=KS[data], workers=4),
    )


AVSL = family("avsl", avsl, {"loss": get_args(LossName), "data": get_args(DataName)})
