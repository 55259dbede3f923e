"""The recipes of the attention-based ensemble (Kim et al. 2018, arXiv 1804.00382; METHODS 2).

One function for ABE-M, and one for M-heads, with which it is compared. They differ in the head,
and in the divergence, which only an ensemble of several learners has.
"""

from typing import Literal, get_args

from lookalike.backbones import GoogLeNet
from lookalike.data import Augmentation
from lookalike.heads import Ensemble, HeadConfig, MultiHead
from lookalike.losses import Contrastive, Divergence, ObjectiveConfig
from lookalike.model import ModelConfig
from lookalike.preprocessing import Preprocessing
from lookalike.recipes.family import family
from lookalike.recipes.recipe import EvaluationConfig, Recipe
from lookalike.training import SGD, StepDecay, TrainConfig

Learners = Literal[1, 2, 4, 8]
Dim = Literal[64, 512]
DataName = Literal["cub", "cub_cropped", "cars", "cars_cropped", "sop", "inshop"]

KS: dict[str, tuple[int, ...]] = {
    "cub": (1, 2, 4, 8),
    "cub_cropped": (1, 2, 4, 8),
    "cars": (1, 2, 4, 8),
    "cars_cropped": (1, 2, 4, 8),
    "sop": (1, 10, 100, 1000),
    "inshop": (1, 10, 20, 30, 40, 50),
}
"""Ranks of recall that the paper reports for each data set."""


def abe(learners: Learners = 8, *, dim: Dim = 512, data: DataName = "cub") -> Recipe:
    """ABE-M on Inception-v1: a mask for each learner, one network behind all masks.

    The divergence, with weight 1 and summed as in the paper, pushes the learners apart on each
    picture. ABE-1 has none: a single learner has nothing to differ from.

    Args:
        learners: M.
        dim: Numbers of all learners together; each gets dim / M.
        data: Decides the ranks of recall. With "_cropped", pictures are cropped to their boxes
            first. The pictures themselves are given to `train`.
    """
    return _recipe(
        f"abe-{learners}-{dim}-{data}",
        head=Ensemble(groups=learners, branch="inception4"),
        divergence=Divergence() if learners > 1 else None,
        dim=dim,
        data=data,
    )


def m_heads(learners: Learners = 8, *, dim: Dim = 512, data: DataName = "cub") -> Recipe:
    """M-heads on Inception-v1, to compare ABE-M with: a network for each learner, no masks.

    There is no divergence: learners with weights of their own differ without it.

    Args:
        learners: M.
        dim: Numbers of all learners together; each gets dim / M.
        data: As for `abe`.
    """
    return _recipe(
        f"heads-{learners}-{dim}-{data}",
        head=MultiHead(groups=learners, branch="inception4"),
        divergence=None,
        dim=dim,
        data=data,
    )


def _recipe(
    name: str, *, head: HeadConfig, divergence: Divergence | None, dim: int, data: DataName
) -> Recipe:
    """Build a recipe from what all models of the paper share.

    Published: the loss and its margins, SGD with momentum 0.9, 64 pictures a batch, padding to
    256 and crops of 224. Not published, and chosen here: 32 classes × 2 pictures; the rates, ten
    times as high for new layers as for pretrained ones, and where they drop; 60 epochs; weight
    decay; a limit on the gradient's norm, because the divergence is a sum over pictures and pairs
    of learners while the metric loss is a mean; grey padding, which the network reads as zeros;
    frozen batch norm; and a share of the training classes, not the test set, to choose the best
    epoch.
    """
    return Recipe(
        name=name,
        model=ModelConfig(
            backbone=GoogLeNet(),
            head=head,
            dim=dim,
            preprocessing=Preprocessing(
                size=224,
                resize=256,
                fit="pad",
                interpolation="bilinear",
                background=(128, 128, 128),
                use_boxes=data.endswith("_cropped"),
                mean=(0.5, 0.5, 0.5),
                std=(0.5, 0.5, 0.5),
            ),
        ),
        objective=ObjectiveConfig(
            loss=Contrastive(squared=True, average="pairs"),
            over_groups="sum",
            diversity=divergence,
        ),
        augmentation=Augmentation(crop="random", flip=0.5),
        train=TrainConfig(
            epochs=60,
            classes_per_batch=32,
            images_per_class=2,
            optimizer=SGD(lr=1e-3, head_lr=1e-2, momentum=0.9, weight_decay=2e-4),
            schedule=StepDecay(milestones=(30, 45), gamma=0.1),
            clip_norm=10.0,
            workers=4,
        ),
        evaluation=EvaluationConfig(ks=KS[data], workers=4),
    )


_CHOICES = {
    "learners": get_args(Learners),
    "dim": get_args(Dim),
    "data": get_args(DataName),
}
ABE = family("abe", abe, _CHOICES)
M_HEADS = family("heads", m_heads, _CHOICES)
