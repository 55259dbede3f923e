"""Recipes for the demo's pictures: the same emoji concept drawn by several artists."""

from typing import Literal, get_args

from lookalike.backbones import EfficientNetLite0
from lookalike.data import Augmentation
from lookalike.heads import Attentive, Ensemble, HeadConfig, Levels, MultiHead, Single
from lookalike.losses import (
    BinomialDeviance,
    Contrastive,
    Divergence,
    Diversity,
    LossConfig,
    Margin,
    ObjectiveConfig,
    ProxyAnchor,
)
from lookalike.model import ModelConfig
from lookalike.preprocessing import Preprocessing
from lookalike.recipes.family import family
from lookalike.recipes.grouping import GROUPING_HEADS, Grouping
from lookalike.recipes.recipe import Recipe
from lookalike.similarity import Graph
from lookalike.training import AdamW, OneCycle, TrainConfig

Rival = Literal["free", "heads", "n", "a"]
_RIVALS: dict[Rival, HeadConfig] = {
    "free": Ensemble(groups=4, branch=-1),
    "heads": MultiHead(groups=4, branch=-1),
    "n": Single(bias=True),
    "a": Attentive(groups=4),
}
GroupingLoss = Literal["binomial", "margin"]
_GROUPING_LOSSES: dict[GroupingLoss, LossConfig] = {
    "binomial": BinomialDeviance(),
    "margin": Margin(),
}


def emoji(*, head: HeadConfig | None = None) -> Recipe:
    """The demo's: find the same emoji concept drawn by other artists, minutes on two cores."""
    return Recipe(
        name="emoji",
        model=ModelConfig(
            backbone=EfficientNetLite0(stages=4, frozen_stages=2),
            head=head or Attentive(groups=4),
            preprocessing=Preprocessing(
                size=96, fit="pad", mean=(0.5, 0.5, 0.5), std=(0.5, 0.5, 0.5)
            ),
        ),
        objective=ObjectiveConfig(loss=BinomialDeviance(), diversity=Diversity(weight=0.01)),
        augmentation=Augmentation(
            crop="none",
            flip=0.5,
            degrees=10.0,
            translate=0.06,
            scale=(0.85, 1.15),
            brightness=0.2,
            contrast=0.2,
            saturation=0.2,
        ),
        train=TrainConfig(
            epochs=16,
            classes_per_batch=28,
            images_per_class=4,
            optimizer=AdamW(lr=2e-3, head_lr=4e-3, weight_decay=1e-4),
            schedule=OneCycle(),
            validate_every=16,  # with one cycle, the rate is low enough only at the last epoch
        ),
    )


def emoji_graph() -> Recipe:
    """The demo's pictures with a graph of 512 nodes at each of three stages, Proxy-Anchor."""
    plain = emoji_proxies()
    model = plain.model.model_copy(
        update={"head": Levels(stages=(-3, -2, -1)), "similarity": Graph()}
    )
    objective = ObjectiveConfig(loss=ProxyAnchor(), level_weights=(0.5, 1.0, 0.5))
    return plain.model_copy(update={"name": "emoji-graph", "model": model, "objective": objective})


def emoji_proxies() -> Recipe:
    """The demo's pictures with one embedding and Proxy-Anchor, to compare the graph with."""
    recipe = emoji()
    model = recipe.model.model_copy(
        update={"backbone": EfficientNetLite0(stages=5, frozen_stages=2), "head": Single(bias=True)}
    )
    rates = recipe.train.optimizer.model_copy(update={"loss_lr": 1e-2})
    train = recipe.train.model_copy(update={"optimizer": rates})
    objective = ObjectiveConfig(loss=ProxyAnchor())
    return recipe.model_copy(
        update={"name": "emoji-proxies", "model": model, "objective": objective, "train": train}
    )


def emoji_ensemble(rival: Rival | None = None) -> Recipe:
    """The demo's pictures with four learners, each with a mask on the third of four stages.

    The divergence is averaged here. Summed, as in the paper, it is a hundred times the metric loss
    at first.

    Args:
        rival: A rival of the ensemble instead, trained with the same loss and budget: "free" is
            the ensemble without divergence, "heads" has a network for each learner and no masks,
            "n" is one embedding, "a" has attentive groups.
    """
    recipe = emoji(head=Ensemble(groups=4, branch=-1) if rival is None else _RIVALS[rival])
    apart = {None: Divergence(normalisation="mean"), "a": recipe.objective.diversity}
    objective = ObjectiveConfig(
        loss=Contrastive(squared=True, average="pairs"),
        over_groups="sum",
        diversity=apart.get(rival),
    )
    name = "-".join(("emoji-ensemble", *filter(None, [rival])))
    return recipe.model_copy(update={"name": name, "objective": objective})


def emoji_grouping(method: Grouping, *, loss: GroupingLoss = "margin") -> Recipe:
    """The demo's pictures with each of the groupings that are compared, and nothing else changed.

    Args:
        method: N is one embedding; M, G, C and A have four groups.
        loss: The metric loss, with its own numbers.
    """
    recipe = emoji(head=GROUPING_HEADS[method])
    objective = recipe.objective.model_copy(update={"loss": _GROUPING_LOSSES[loss]})
    name = f"emoji-{method}-{loss}"
    return recipe.model_copy(update={"name": name, "objective": objective})


EMOJI_GROUPINGS = family(
    "emoji", emoji_grouping, {"method": get_args(Grouping), "loss": get_args(GroupingLoss)}
)
EMOJI_ENSEMBLES = family(
    "emoji-ensemble",
    emoji_ensemble,
    {"rival": get_args(Rival)},
    summary="The demo's pictures with the ensemble's rivals, at the same budget.",
)
