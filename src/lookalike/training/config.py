"""How long, how fast and in what batches to train."""

from typing import Annotated, Literal

from pydantic import Field

from lookalike.config import Config
from lookalike.training.optim import AdamW, CosineDecay, OptimizerConfig, ScheduleConfig

Count = Annotated[int, Field(ge=1)]


class TrainConfig(Config):
    """All settings of training except the model, the loss and the data."""

    epochs: Count = 20
    classes_per_batch: Annotated[int, Field(ge=2)] = 28
    images_per_class: Annotated[int, Field(ge=2)] = 4
    batches_per_epoch: Count | None = None
    """None is the number that shows every class once."""
    optimizer: OptimizerConfig = AdamW()
    schedule: ScheduleConfig = CosineDecay()
    frozen_backbone_epochs: Annotated[int, Field(ge=0)] = 0
    """Epochs at the start in which only new layers and the loss are trained. Layers that started
    from the backbone's weights are not, in the backbone and in the head."""
    precision: Literal["no", "bf16", "fp16"] = "no"
    """Mixed precision of the network; losses are always computed in float32."""
    clip_norm: Annotated[float, Field(gt=0)] | None = None
    """Largest norm of the whole gradient."""
    accumulate: Count = 1
    """Batches whose gradients are averaged into one step. Pairs are formed within each batch."""
    validation_share: Annotated[float, Field(ge=0, lt=1)] = 0.1
    """Share of the training classes held out to choose the best epoch; 0 keeps the last."""
    validate_every: Count = 1
    patience: Count | None = None
    """Stop after this many validations without an improvement."""
    workers: Annotated[int, Field(ge=0)] = 0
    """Processes that prepare pictures; 0 prepares them between steps."""
    cache_mib: Annotated[int, Field(ge=0)] = 512
    """Memory for decoded pictures, so that small sets are read from disk once."""
    skip_bad: bool = False
    """Leave out pictures that cannot be read, and report them, instead of stopping."""
    tensorboard: bool = False
    """Also log for TensorBoard, to the run's folder."""
    wandb: bool = False
    """Also log to Weights & Biases; with WANDB_MODE=offline, to the run's folder alone."""
