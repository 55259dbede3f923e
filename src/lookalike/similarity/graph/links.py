"""The edges of a graph: how alike nodes of neighbouring levels respond, averaged over training."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, distributed, nn


def strongest(links: Float[Tensor, "upper r below"], k: int) -> Float[Tensor, "upper r below"]:
    """Return each node's k strongest links to the level below, as shares of their sum.

    Links below zero count as none. A node without any has an empty row (METHODS 3.5).

    >>> strongest(torch.tensor([[[3.0, -2.0, 1.0, 0.5], [-1.0, -1.0, -1.0, -1.0]]]), 2)
    tensor([[[0.7500, 0.0000, 0.2500, 0.0000],
             [0.0000, 0.0000, 0.0000, 0.0000]]])
    """
    values, at = links.relu().topk(min(k, links.shape[2]), dim=2)
    kept = torch.zeros_like(links).scatter_(2, at, values)
    return kept / (kept.sum(2, keepdim=True) + 1e-8)


class RunningLinks(nn.Module):
    """Links averaged over training: `ω ← γ ω + (1−γ) ω̂` once an update; the first one sets them.

    ω̂ is the mean over all pictures of an update: over its micro-batches where gradients are
    accumulated, over all processes where there are several. `observe` adds one batch, which shows
    in `kept` at once; `settle` ends the update.

    Args:
        levels: Levels of the graph; each but the lowest has links to the one below.
        nodes: Nodes of each level r.
        k: Links kept of each node.
        momentum: γ.

    Attributes:
        running: ω as of the last update.
        seen: Whether there was an update yet; until then no node has links.
        kept: ω̃, which inference reads; it is computed from the rest and is not saved.
    """

    running: Float[Tensor, "upper r r"]
    seen: Bool[Tensor, ""]
    kept: Float[Tensor, "upper r r"]
    pending: Float[Tensor, "upper r r"]
    images: Float[Tensor, ""]

    def __init__(self, levels: int, nodes: int, *, k: int, momentum: float) -> None:
        super().__init__()
        self.k = k
        self.momentum = momentum
        empty = torch.zeros(levels - 1, nodes, nodes)
        self.register_buffer("running", empty)
        self.register_buffer("seen", torch.tensor(False))
        self.register_buffer("kept", empty.clone(), persistent=False)
        self.register_buffer("pending", empty.clone(), persistent=False)
        self.register_buffer("images", torch.tensor(0.0), persistent=False)
        self.register_load_state_dict_post_hook(_after_load)  # type: ignore[no-untyped-call]

    @torch.no_grad()
    def observe(self, links: Float[Tensor, "upper r r"], *, images: int) -> None:
        """Add the links of a batch; every process must do so equally often.

        Args:
            links: Mean over the batch.
            images: Pictures in the batch.
        """
        total = links.to(self.pending) * images
        count = torch.full_like(self.images, images)
        if distributed.is_available() and distributed.is_initialized():
            distributed.all_reduce(total)
            distributed.all_reduce(count)
        self.pending += total
        self.images += count
        self.refresh()

    @torch.no_grad()
    def settle(self) -> None:
        """End an update: the batches observed since the last one enter the running links."""
        if not self.images:
            return
        self.running.copy_(self._current())
        self.seen.fill_(True)
        self.pending.zero_()
        self.images.zero_()

    @torch.no_grad()
    def forget(self) -> None:
        """Go back to the state before the first update."""
        self.running.zero_()
        self.seen.fill_(False)
        self.pending.zero_()
        self.images.zero_()
        self.refresh()

    @torch.no_grad()
    def refresh(self) -> None:
        """Compute `kept` from the running links and the batches observed since."""
        self.kept = strongest(self._current(), self.k)  # a new tensor: an account keeps the old one

    def _current(self) -> Float[Tensor, "upper r r"]:
        if not self.images:
            return self.running
        batch = self.pending / self.images
        return batch.lerp(self.running, self.momentum) if self.seen else batch


def _after_load(links: nn.Module, _: object) -> None:
    assert isinstance(links, RunningLinks)
    links.pending.zero_()
    links.images.zero_()
    links.refresh()
