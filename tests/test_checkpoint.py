import json

import pytest
import torch

from lookalike import checkpoint
from lookalike.errors import CheckpointError, UsageError
from lookalike.heads import Attentive
from lookalike.model import create_model
from lookalike.preprocessing import Preprocessing


@pytest.fixture
def saved(tmp_path):
    torch.manual_seed(0)
    model = create_model(
        "tiny",
        head=Attentive(groups=2),
        dim=16,
        preprocessing=Preprocessing(size=32, fit="pad", background=(0, 10, 20)),
    )
    model.class_names = ("a b", "ü", "100000001")
    model.save(tmp_path / "run", recipe={"name": "x"})
    return model, tmp_path / "run"


def test_what_is_loaded_is_what_was_saved(saved):
    model, folder = saved
    loaded = checkpoint.load(folder)
    images = torch.randn(3, 3, 32, 32)
    assert torch.equal(loaded(images).flat(), model.eval()(images).flat())
    assert loaded.preprocessing == model.preprocessing
    assert loaded.class_names == model.class_names
    assert not loaded.training
    assert sorted(path.name for path in folder.iterdir()) == ["config.json", "model.safetensors"]


def test_the_function_writes_what_the_method_writes(saved):
    model, folder = saved
    other = folder.with_name("other")
    checkpoint.save(model, other, recipe={"name": "x"})
    for name in ("config.json", "model.safetensors"):
        assert (other / name).read_bytes() == (folder / name).read_bytes()


def test_a_model_is_loaded_to_the_device_that_is_named(saved):
    _, folder = saved
    assert checkpoint.load(folder, device="meta").device == torch.device("meta")
    assert checkpoint.load(folder, device=torch.device("cpu")).device == torch.device("cpu")
    with pytest.raises(UsageError, match=r"device = nowhere: not available here \("):
        checkpoint.load(folder, device="nowhere")
    if not torch.cuda.is_available():
        with pytest.raises(UsageError, match="device = cuda"):
            checkpoint.load(folder, device="cuda")


def test_a_folder_that_is_no_model_says_what_a_model_is(tmp_path):
    with pytest.raises(CheckpointError, match=r"config.json and model.safetensors"):
        checkpoint.load(tmp_path)


def _edit(folder, **changes):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_weights_of_another_model_are_refused(saved):
    _, folder = saved
    config = json.loads((folder / "config.json").read_text())
    _edit(folder, model=config["model"] | {"dim": 32})
    with pytest.raises(CheckpointError, match="do not belong"):
        checkpoint.load(folder)


def test_a_newer_format_and_unknown_keys_are_refused(saved):
    _, folder = saved
    _edit(folder, format=99)
    with pytest.raises(CheckpointError, match="upgrade"):
        checkpoint.load(folder)
    _edit(folder, format=1, surprise=1)
    with pytest.raises(CheckpointError, match="surprise"):
        checkpoint.load(folder)


@pytest.mark.parametrize("content", [b"", b"not weights", None])
def test_damaged_or_missing_weights_are_named(saved, content):
    _, folder = saved
    path = folder / "model.safetensors"
    path.unlink() if content is None else path.write_bytes(content)
    with pytest.raises(CheckpointError, match=r"model\.safetensors"):
        checkpoint.load(folder)


def test_a_failed_write_leaves_the_old_file(tmp_path):
    from lookalike.files import replace

    path = tmp_path / "file"
    path.write_text("old")

    def half(unfinished):
        unfinished.write_text("ne")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        replace(path, half)
    assert path.read_text() == "old"


def test_no_file_of_a_run_can_run_code(tmp_path):
    """A pickle that would run code is refused where the state to resume from is read."""
    import pickle

    from lookalike.training import ResumeState

    class Evil:
        def __reduce__(self):
            return (print, ("code ran",))

    (tmp_path / "resume.pt").write_bytes(pickle.dumps(Evil(), protocol=2))
    with pytest.raises(CheckpointError, match="not a state to resume from"):
        ResumeState.load(tmp_path)
    torch.save({"epoch": Evil()}, tmp_path / "resume.pt")
    with pytest.raises(CheckpointError, match="not a state to resume from"):
        ResumeState.load(tmp_path)
