"""How long, how fast and in what batches to train."""

from typing import Annotated, Literal

from pydantic import Field

from lookalike.config import Config
from lookalike.training.optim import AdamW, CosineDecay, OptimizerConfig, ScheduleConfig

Count = Annotated[int, Field(ge=1)]


class TrainConfig(Config):
    """Everything about training but the model, the loss and the data."""

    epochs: Count = 20
    classes_per_batch: Annotated[int, Field(ge=2)] = 28
    images_per_class: Annotated[int, Field(ge=2)] = 4
    batches_per_epoch: Count | None = None
    """None is as many as it takes to see every class once."""
    optimizer: OptimizerConfig = AdamW()
    schedule: ScheduleConfig = CosineDecay()
    frozen_backbone_epochs: Annotated[int, Field(ge=0)] = 0
    """Epochs at the start in which only new layers and the loss are trained: nothing that started
    from the backbone's weights, in the head neither."""
    precision: Literal["no", "bf16", "fp16"] = "no"
    """Mixed precision of the network; losses are computed in float32 whatever it is."""
    clip_norm: Annotated[float, Field(gt=0)] | None = None
    """Largest norm of the whole gradient."""
    accumulate: Count = 1
    """Batches whose gradients are averaged into one step; each batch has pairs of its own only."""
    validation_share: Annotated[float, Field(ge=0, lt=1)] = 0.1
    """Share of the training classes held out to choose the best epoch; 0 keeps the last."""
    validate_every: Count = 1
    patience: Count | None = None
    """Stop after this many validations without a better one."""
    workers: Annotated[int, Field(ge=0)] = 0
    """Processes that prepare pictures; 0 prepares them between steps."""
    cache_mib: Annotated[int, Field(ge=0)] = 512
    """Memory for decoded pictures, so that small sets are read from disk once."""
    skip_bad: bool = False
    """Leave out pictures that cannot be read, and report them, instead of stopping."""
    tensorboard: bool = False
    """Also log for TensorBoard, to the run's folder."""
