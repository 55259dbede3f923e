"""The recipes of the attention-based ensemble (Kim et al. 2018, arXiv 1804.00382; METHODS 2).

One function for ABE-M, one for M-heads, which it is held against. They differ in the head, and in
the divergence that only an ensemble of several learners has.
"""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import product
from typing import Literal, get_args

from lookalike.backbones import GoogLeNet
from lookalike.data import Augmentation
from lookalike.heads import Ensemble, HeadConfig, MultiHead
from lookalike.losses import Contrastive, Divergence, ObjectiveConfig
from lookalike.model import ModelConfig
from lookalike.preprocessing import Preprocessing
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

    The divergence, with weight 1 and summed as the paper has it, pushes the learners apart on each
    picture. ABE-1 goes without: one learner has nothing to differ from.

    Args:
        learners: M.
        dim: Numbers of all learners together; each gets dim / M.
        data: Decides the ranks of recall, and by "_cropped" that pictures are cut to their boxes
            first; they are given to `train`.
    """
    return _recipe(
        f"abe-{learners}-{dim}-{data}",
        head=Ensemble(groups=learners, branch="inception4"),
        divergence=Divergence() if learners > 1 else None,
        dim=dim,
        data=data,
    )


def m_heads(learners: Learners = 8, *, dim: Dim = 512, data: DataName = "cub") -> Recipe:
    """M-heads on Inception-v1, what ABE-M is held against: a network for each learner, no masks.

    There is no divergence: learners with weights of their own come to differ without it.

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
    """Put together what all of the paper's models share.

    Published: the loss and its margins, SGD with momentum 0.9, 64 pictures a batch, padding to
    256 and crops of 224. Chosen here, since it could not be looked up: 32 classes × 2 pictures; the
    rates, ten times as high for new layers as for those with weights, and where they drop; 60
    epochs; weight decay; a limit on the gradient's norm, as the divergence is a sum over pictures
    and pairs of learners where the metric loss is a mean; grey padding, which the network reads as
    zeros; batch norm held still; and that a share of the training classes, not the test set,
    chooses the best epoch.
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


def ensembles_of_the_paper() -> dict[str, Callable[[], Recipe]]:
    """Name ABE-M of every size for every data set; each name makes its recipe."""
    return {
        f"abe-{learners}-{dim}-{data}": partial(abe, learners, dim=dim, data=data)
        for learners, dim, data in _choices()
    }


def heads_of_the_paper() -> dict[str, Callable[[], Recipe]]:
    """Name M-heads of every size for every data set."""
    return {
        f"heads-{learners}-{dim}-{data}": partial(m_heads, learners, dim=dim, data=data)
        for learners, dim, data in _choices()
    }


def _choices() -> Iterable[tuple[Learners, Dim, DataName]]:
    return product(get_args(Learners), get_args(Dim), get_args(DataName))
