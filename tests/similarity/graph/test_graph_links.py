"""Links kept over training: updates, micro-batches, processes, files."""

import pytest
import torch
from torch import distributed, multiprocessing

from lookalike.similarity import Graph
from lookalike.similarity.graph.links import RunningLinks, strongest
from lookalike.types import Embedding, Level


def batch_links(seed):
    return torch.randn(1, 3, 3, generator=torch.Generator().manual_seed(seed))


def links():
    return RunningLinks(2, 3, k=2, momentum=0.25)


def test_the_first_update_sets_them_and_later_ones_mix():
    kept = links()
    first, second = batch_links(0), batch_links(1)
    kept.observe(first, images=7)
    assert torch.allclose(kept.kept, strongest(first, 2))  # scored with its own links
    assert not kept.seen
    kept.settle()
    assert torch.allclose(kept.running, first)
    kept.observe(second, images=3)
    mixed = 0.25 * first + 0.75 * second
    assert torch.allclose(kept.running, first)
    assert torch.allclose(kept.kept, strongest(mixed, 2))
    kept.settle()
    assert torch.allclose(kept.running, mixed)
    kept.settle()  # of nothing
    assert torch.allclose(kept.running, mixed)


def test_micro_batches_are_one_update():
    whole, pieces = links(), links()
    for kept in (whole, pieces):
        kept.observe(batch_links(9), images=4)
        kept.settle()
    first, second = batch_links(0), batch_links(1)
    whole.observe((6 * first + 2 * second) / 8, images=8)
    pieces.observe(first, images=6)
    pieces.observe(second, images=2)
    whole.settle()
    pieces.settle()
    assert torch.allclose(pieces.running, whole.running)
    assert torch.allclose(pieces.kept, whole.kept)


def test_a_similarity_takes_them_from_its_batches():
    similarity = Graph(k=2, momentum=0.25).build(3, 2)
    first = batch_links(0)
    e = Embedding((Level(torch.ones(4, 3, 1)), Level(torch.ones(4, 3, 1), links=first[0])))
    similarity.observe(e)
    similarity.settle()
    assert torch.allclose(similarity.links.running, first)


def test_files_hold_what_was_settled():
    similarity = Graph(k=2).build(3, 2)
    similarity.links.observe(batch_links(0), images=4)
    similarity.settle()
    state = {name: value.clone() for name, value in similarity.state_dict().items()}
    assert set(state) == {"alpha", "beta", "links.running", "links.seen"}
    kept = similarity.links.kept.clone()
    other = Graph(k=2).build(3, 2)
    other.links.observe(batch_links(5), images=4)  # forgotten: it belongs to another run
    other.load_state_dict(state)
    assert torch.equal(other.links.kept, kept)
    for one in (similarity, other):
        one.links.observe(batch_links(1), images=2)
        one.settle()
    assert torch.equal(other.links.running, similarity.links.running)


def test_there_may_be_fewer_links_than_kept():
    assert strongest(torch.ones(1, 2, 2), 5).tolist() == [[[0.5, 0.5], [0.5, 0.5]]]


def test_processes_are_averaged_by_their_pictures(monkeypatch):
    mine, theirs = batch_links(0), batch_links(1)
    shares = iter([3 * theirs, torch.tensor(3.0)])
    monkeypatch.setattr(distributed, "is_initialized", lambda: True)
    monkeypatch.setattr(distributed, "all_reduce", lambda tensor: tensor.add_(next(shares)))
    kept = links()
    kept.observe(mine, images=1)
    kept.settle()
    assert torch.allclose(kept.running, (mine + 3 * theirs) / 4)


def _process(rank, store, out):
    distributed.init_process_group(
        "gloo", store=distributed.FileStore(store, 2), rank=rank, world_size=2
    )
    kept = links()
    for step in range(2):
        kept.observe(batch_links(2 * step + rank), images=1 + rank)
        kept.settle()
    torch.save(kept.running, f"{out}/{rank}.pt")
    distributed.destroy_process_group()


@pytest.mark.slow
def test_two_processes_end_with_the_links_of_one(tmp_path):
    multiprocessing.spawn(_process, (str(tmp_path / "store"), str(tmp_path)), nprocs=2)
    alone = links()
    for step in range(2):
        for rank in range(2):
            alone.observe(batch_links(2 * step + rank), images=1 + rank)
        alone.settle()
    for rank in range(2):
        assert torch.allclose(torch.load(tmp_path / f"{rank}.pt"), alone.running)
