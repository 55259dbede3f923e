"""The recipe to start from with pictures of your own."""

from lookalike.backbones import EfficientNetLite0
from lookalike.data import Augmentation
from lookalike.heads import Attentive
from lookalike.losses import Diversity, Margin, ObjectiveConfig
from lookalike.model import ModelConfig
from lookalike.preprocessing import Preprocessing
from lookalike.recipes.recipe import Recipe
from lookalike.training import AdamW, CosineDecay, TrainConfig


def starter() -> Recipe:
    """Your own pictures: attentive groups on EfficientNet-Lite0 at 160 pixels, margin loss."""
    return Recipe(
        name="starter",
        model=ModelConfig(
            backbone=EfficientNetLite0(output_stride=16, dilate=False),
            head=Attentive(groups=4),
            preprocessing=Preprocessing(
                size=160, resize=184, mean=(0.5, 0.5, 0.5), std=(0.5, 0.5, 0.5)
            ),
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
