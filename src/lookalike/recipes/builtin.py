"""Recipes to start from, as functions: `lookalike recipe show NAME` prints them as YAML."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, partial
from itertools import product
from typing import Literal, get_args

from lookalike.backbones import EfficientNetLite0
from lookalike.data import Augmentation
from lookalike.errors import UsageError
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
from lookalike.recipes.avsl import avsl, graphs_of_the_paper
from lookalike.recipes.ensemble import abe, ensembles_of_the_paper, heads_of_the_paper, m_heads
from lookalike.recipes.grouping import (
    GROUPINGS,
    Grouping,
    attentive_grouping,
    comparison_of_groupings,
    grouping,
    models_of_the_paper,
)
from lookalike.recipes.recipe import Recipe
from lookalike.similarity import Graph
from lookalike.training import AdamW, CosineDecay, OneCycle, TrainConfig

LITE0_MEAN = LITE0_STD = (0.5, 0.5, 0.5)

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


def starter() -> Recipe:
    """Your own pictures: attentive groups on EfficientNet-Lite0 at 160 pixels, margin loss."""
    return Recipe(
        name="starter",
        model=ModelConfig(
            backbone=EfficientNetLite0(output_stride=16, dilate=False),
            head=Attentive(groups=4),
            preprocessing=Preprocessing(size=160, resize=184, mean=LITE0_MEAN, std=LITE0_STD),
        ),
        objective=ObjectiveConfig(loss=Margin(), diversity=Diversity(weight=0.01)),
        augmentation=Augmentation(crop="resized", crop_area=(0.4, 1.0), flip=0.5),
        train=TrainConfig(
            epochs=20,
            classes_per_batch=16,
            images_per_class=4,
            optimizer=AdamW(lr=1e-4, head_lr=5e-4, loss_lr=5e-3),
            schedule=CosineDecay(),
            clip_norm=10.0,
        ),
    )


def emoji(*, head: HeadConfig | None = None) -> Recipe:
    """The demo's: find the same emoji concept drawn by other artists, minutes on two cores."""
    return Recipe(
        name="emoji",
        model=ModelConfig(
            backbone=EfficientNetLite0(stages=4, frozen_stages=2),
            head=head or Attentive(groups=4),
            preprocessing=Preprocessing(size=96, fit="pad", mean=LITE0_MEAN, std=LITE0_STD),
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
            validate_every=16,  # under one-cycle only the last epoch is annealed
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
    """The demo's pictures with one embedding and Proxy-Anchor: what the graph is held against."""
    recipe = emoji()
    model = recipe.model.model_copy(
        update={"backbone": EfficientNetLite0(stages=5, frozen_stages=2), "head": Single(bias=True)}
    )
    rates = recipe.train.optimizer.model_copy(update={"loss_lr": 1e-2})
    train = recipe.train.model_copy(update={"optimizer": rates})
    objective = ObjectiveConfig(loss=ProxyAnchor())
    return recipe.model_copy(
        update={
            "name": "emoji-proxies",
            "model": model,
            "objective": objective,
            "train": train,
        }
    )


def emoji_ensemble(rival: Rival | None = None) -> Recipe:
    """The demo's pictures with four learners, each with a mask on the third of four stages.

    The divergence is averaged here. Summed as the paper has it, it is a hundred times the metric
    loss at first.

    Args:
        rival: What the ensemble is held against instead, with the same loss and budget: "free" is
            without divergence, "heads" has a network for each learner and no masks, "n" is one
            embedding, "a" attentive groups.
    """
    head = Ensemble(groups=4, branch=-1) if rival is None else _RIVALS[rival]
    recipe = emoji(head=head)
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
    recipe = emoji(head=GROUPINGS[method])
    objective = recipe.objective.model_copy(update={"loss": _GROUPING_LOSSES[loss]})
    name = f"emoji-{method}-{loss}"
    return recipe.model_copy(update={"name": name, "objective": objective})


BUILT_IN: dict[str, Callable[[], Recipe]] = {
    "starter": starter,
    "emoji": emoji,
    "emoji-graph": emoji_graph,
    "emoji-proxies": emoji_proxies,
    "emoji-ensemble": emoji_ensemble,
}


@dataclass(frozen=True, slots=True)
class Family:
    """Recipes that differ in a few choices, each named by what was chosen.

    Args:
        pattern: The names, with the choices in braces.
        summary: A line on all of them.
        recipes: By name.
    """

    pattern: str
    summary: str
    recipes: Mapping[str, Callable[[], Recipe]]


@cache
def families() -> tuple[Family, ...]:
    """Return the recipes of the papers."""
    losses, data = "{contrastive,binomial,margin}", "{cub,cars,sop,inshop}"
    networks = "{inception_v1,resnet50}"
    ensembles = "{1,2,4,8}-{64,512}-{cub,cub_cropped,cars,cars_cropped,sop,inshop}"
    return (
        Family(
            f"grouping-{{n,m,g,c,a}}-{losses}-{networks}-{data}",
            _first_line(grouping),
            comparison_of_groupings(),
        ),
        Family(
            f"attentive-grouping-{losses}-{networks}-{data}",
            _first_line(attentive_grouping),
            models_of_the_paper(),
        ),
        Family(
            "avsl-{margin,proxy_anchor}-{cub,cars,sop}", _first_line(avsl), graphs_of_the_paper()
        ),
        Family(
            "emoji-{n,m,g,c,a}-{binomial,margin}",
            _first_line(emoji_grouping),
            {
                f"emoji-{method}-{loss}": partial(emoji_grouping, method, loss=loss)
                for method, loss in product(get_args(Grouping), get_args(GroupingLoss))
            },
        ),
        Family(
            "emoji-ensemble-{free,heads,n,a}",
            "The demo's pictures with what the ensemble is held against, at the same budget.",
            {
                f"emoji-ensemble-{rival}": partial(emoji_ensemble, rival)
                for rival in get_args(Rival)
            },
        ),
        Family(f"abe-{ensembles}", _first_line(abe), ensembles_of_the_paper()),
        Family(f"heads-{ensembles}", _first_line(m_heads), heads_of_the_paper()),
    )


def every() -> dict[str, Callable[[], Recipe]]:
    """Return all recipes by name, those of the papers among them."""
    return BUILT_IN | {name: make for f in families() for name, make in f.recipes.items()}


def named(name: str) -> Recipe:
    """Return a recipe by its name.

    Raises:
        UsageError: There is none of this name.
    """
    recipes = every()
    if name not in recipes:
        close = get_close_matches(name, recipes, n=3)
        hint = f"did you mean {', '.join(close)}? " if close else ""
        raise UsageError(f"there is no recipe {name!r}; {hint}there are: {', '.join(summaries())}")
    return recipes[name]()


def summaries() -> dict[str, str]:
    """Return the first line on each recipe by name, on each family of recipes by its pattern."""
    return {name: _first_line(make) for name, make in BUILT_IN.items()} | {
        family.pattern: family.summary for family in families()
    }


def _first_line(make: Callable[..., Recipe]) -> str:
    return (make.__doc__ or "").splitlines()[0]
