import urllib.error

import pytest
import torch
import torchvision.models
from torch import nn

from lookalike.backbones import GoogLeNet
from lookalike.backbones import googlenet as room
from lookalike.errors import ConfigError, WeightsError
from lookalike.preprocessing import IMAGENET_MEAN, IMAGENET_STD, Preprocessing

FILE = "googlenet-1378be20.pth"
ENDS = {
    "conv1": "conv1",
    "conv2": "conv3",
    "inception3": "inception3b",
    "inception4": "inception4e",
    "inception5": "inception5b",
}


def _theirs(*, auxiliary: bool = False) -> nn.Module:
    return torchvision.models.googlenet(
        aux_logits=auxiliary, transform_input=True, init_weights=False
    )


def _without_stages(state: dict) -> dict:
    """Names as torchvision has them: "stages.conv2.conv3.bn.bias" becomes "conv3.bn.bias"."""
    return {name.split(".", 2)[2]: tensor for name, tensor in state.items()}


def _normalised(pixels, mean, std):
    return (pixels - pixels.new_tensor(mean)[:, None, None]) / pixels.new_tensor(std)[:, None, None]


def test_every_stage_equals_torchvisions_own_on_the_same_pixels():
    """Theirs turns ImageNet's normalisation into its own inside; ours asks for its own."""
    torch.manual_seed(0)
    ours, theirs = GoogLeNet(pretrained=False).build().double().eval(), _theirs().double().eval()
    for module in ours.modules():
        if isinstance(module, nn.BatchNorm2d):
            nn.init.normal_(module.running_mean, std=0.2)
            nn.init.uniform_(module.running_var, 0.5, 1.5)
    theirs.load_state_dict(theirs.state_dict() | _without_stages(ours.state_dict()))
    seen = {}
    for stage, end in ENDS.items():
        getattr(theirs, end).register_forward_hook(
            lambda _, __, z, stage=stage: seen.update({stage: z})
        )
    pixels = torch.rand(1, 3, 227, 227, dtype=torch.float64)
    prepared = ours.preprocessing
    with torch.no_grad():
        maps = ours(_normalised(pixels, prepared.mean, prepared.std))
        theirs(_normalised(pixels, IMAGENET_MEAN, IMAGENET_STD))
    assert ours.names == tuple(seen)
    for name, z in zip(ours.names, maps.stages, strict=True):
        assert float(z.std()) > 0.05, name
        assert torch.allclose(z, seen[name], atol=1e-10, rtol=0), name
    assert [z.shape[2] for z in maps.stages] == [114, 57, 28, 14, 7]


def test_preprocessing_is_torchvisions_at_227_pixels_in_the_weights_own_range():
    published = torchvision.models.GoogLeNet_Weights.IMAGENET1K_V1.transforms()
    half = (0.5, 0.5, 0.5)
    assert GoogLeNet(pretrained=False).build().preprocessing == Preprocessing(
        size=227,
        resize=published.resize_size[0],
        interpolation=published.interpolation.value,
        mean=half,
        std=half,
    )


def test_it_has_the_parameters_of_the_published_network_without_its_classifiers():
    count = sum(p.numel() for p in GoogLeNet(pretrained=False).build().parameters())
    published = torchvision.models.GoogLeNet_Weights.IMAGENET1K_V1.meta["num_params"]
    assert count == published - (1024 * 1000 + 1000)


def test_random_weights_and_frozen_batch_norm_still_give_a_signal():
    backbone = GoogLeNet(pretrained=False).build().train()
    with torch.no_grad():
        last = backbone(torch.randn(2, 3, 96, 96)).stages[-1]
    assert 0.1 < float(last.std()) < 10


@pytest.mark.parametrize("frozen", [True, False])
def test_its_batch_norm_statistics_stay_or_move(frozen):
    backbone = GoogLeNet(pretrained=False, freeze_batch_norm=frozen, stages=1).build().train()
    norm = backbone.stages["conv1"].conv1.bn
    before = norm.running_mean.clone()
    backbone(torch.randn(4, 3, 64, 64) + 3)
    assert torch.equal(before, norm.running_mean) is frozen


@pytest.mark.parametrize("asked", [3, "inception3"])
def test_stages_are_cut_and_frozen_by_number_or_name(asked):
    part = GoogLeNet(pretrained=False, stages=asked, frozen_stages=2).build()
    assert part.names == ("conv1", "conv2", "inception3")
    assert (part.channels, part.strides) == ((64, 192, 480), (2, 4, 8))
    frozen = GoogLeNet(pretrained=False, frozen_stages=asked).build()
    still = {name.split(".")[1] for name, p in frozen.named_parameters() if not p.requires_grad}
    trained = {name.split(".")[1] for name, p in frozen.named_parameters() if p.requires_grad}
    assert still == {"conv1", "conv2", "inception3"}
    assert trained == {"inception4", "inception5"}


@pytest.mark.parametrize("options", [{"stages": "inception4a"}, {"frozen_stages": 6}])
def test_unknown_stages_are_refused_with_the_names(options):
    with pytest.raises(ConfigError, match=r"conv1, conv2, inception3, inception4, inception5"):
        GoogLeNet(pretrained=False, **options).build()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    monkeypatch.setattr(torch.hub, "_hub_dir", None)
    return tmp_path / "hub" / "checkpoints"


class Broken:
    """A download that ends in the middle."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def info(self):
        return self

    def get_all(self, _):
        return ["1000"]

    def read(self, _):
        raise ConnectionResetError("gone")


def _unresolved(_):
    raise urllib.error.URLError("Name or service not known")


@pytest.mark.parametrize("answer", [_unresolved, lambda _: Broken()], ids=["no host", "broken off"])
def test_a_failed_download_leaves_nothing_and_names_the_choices(cache, monkeypatch, capfd, answer):
    monkeypatch.setattr(room, "reachable", lambda _: True)
    monkeypatch.setattr(torch.hub, "urlopen", answer)
    with pytest.raises(WeightsError) as caught:
        GoogLeNet().build()
    url = f"https://download.pytorch.org/models/{FILE}"
    for choice in (f"put {url} at {cache / FILE}", "efficientnet_lite0", "pretrained=false"):
        assert choice in str(caught.value)
    assert list(cache.iterdir()) == []
    assert capfd.readouterr().out == ""


def test_an_unreachable_server_is_not_waited_for(cache, monkeypatch):
    def never(*_, **__):
        raise AssertionError("it was asked")

    monkeypatch.setattr(room, "reachable", lambda _: False)
    monkeypatch.setattr(torch.hub, "download_url_to_file", never)
    with pytest.raises(WeightsError, match="could not be fetched"):
        GoogLeNet().build()


def test_torchvisions_file_is_read_from_where_torchvision_keeps_it(cache, monkeypatch):
    monkeypatch.setattr(room, "reachable", lambda _: False)
    cache.mkdir(parents=True)
    published = _theirs(auxiliary=True).state_dict()
    torch.save(published, cache / FILE)
    ours = _without_stages(GoogLeNet().build().state_dict())
    assert {name: torch.equal(tensor, published[name]) for name, tensor in ours.items()} == (
        dict.fromkeys(ours, True)
    )
    kept = {name for name in published if not name.startswith(("aux", "fc"))}
    assert set(ours) == kept


@pytest.mark.parametrize("content", [b"", b"not a network", b"PK\x03\x04"])
def test_a_damaged_file_is_named(cache, content):
    cache.mkdir(parents=True)
    (cache / FILE).write_bytes(content)
    with pytest.raises(WeightsError, match=FILE):
        GoogLeNet().build()


def test_another_networks_file_is_named(cache):
    cache.mkdir(parents=True)
    torch.save({"conv1.conv.weight": torch.zeros(64, 3, 7, 7)}, cache / FILE)
    with pytest.raises(WeightsError, match=f"{FILE}: not the weights"):
        GoogLeNet().build()
