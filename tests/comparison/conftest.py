from collections.abc import Callable

import pytest

from lookalike.comparison import Comparison, FailedRun, RunRow

MakeRow = Callable[..., RunRow]


@pytest.fixture
def make_row() -> MakeRow:
    """Return a function that makes the row of a run from "HEAD-LOSS", a seed and measures."""

    def make(variant: str, seed: int = 0, *, measures: dict[str, float], **costs) -> RunRow:
        head, _, loss = variant.partition("-")
        fields = {
            "recipe": "emoji",
            "head": head,
            "loss": loss or "margin",
            "backbone": "tiny",
            "groups": 4,
            "dim": 512,
            "data": "/somewhere/pictures, split test: 40 pictures of 8 classes",
            "selected_on": "16 held-out training classes",
            "parameters": 2_000_000,
            "flops": 90_000_000,
            "seconds": 60.0,
            "threads": 1,
            "milliseconds_per_image": 2.0,
        }
        return RunRow(variant=variant, seed=seed, measures=measures, **(fields | costs))

    return make


@pytest.fixture
def comparison(make_row) -> Comparison:
    """Two heads and two losses; the means and spreads of R@1 are easy to compute.

    single-binomial 0.40 ± 0.02, single-margin 0.50 ± 0.02, gated-binomial 0.60 ± 0.10,
    gated-margin 0.55 ± 0.01; a third seed of gated-margin failed.
    """
    values = {
        "single-binomial": (0.38, 0.40, 0.42),
        "single-margin": (0.48, 0.50, 0.52),
        "gated-binomial": (0.50, 0.60, 0.70),
        "gated-margin": (0.55 - 0.01 / 2**0.5, 0.55 + 0.01 / 2**0.5),
    }
    rows = [
        make_row(
            variant,
            seed,
            measures={
                "recall_at_1": value,
                "recall_at_4": value + 0.2,
                "nmi": 0.8,
                "map_at_r": value / 2,
                "map_dgml": value / 4,
                "map_dgml_cap": 0.75,
            },
            parameters=3_000_000 if variant.startswith("gated") else 2_000_000,
        )
        for variant, own in values.items()
        for seed, value in enumerate(own)
    ]
    failed = FailedRun("gated-margin/seed-2", "the loss is nan | at <step> 3")
    return Comparison(tuple(rows), (failed,), 0)


@pytest.fixture
def by_groups(make_row) -> Comparison:
    """Two heads with 8, 1 and 2 groups and two seeds; multihead with 2 groups failed."""
    rows = []
    for kind, base in (("ensemble", 0.5), ("multihead", 0.4)):
        for groups in (8, 1, 2):
            if (kind, groups) == ("multihead", 2):
                continue
            for seed in (0, 1):
                whole = base + groups / 100 + seed / 50
                alone = {"recall_at_1_of_learners_mean": whole - 0.1} if groups > 1 else {}
                rows.append(
                    make_row(
                        f"{kind}-{groups}",
                        seed,
                        measures={"recall_at_1": whole} | alone,
                        loss="margin",
                        varied={"model.head.kind": kind, "model.head.groups": str(groups)},
                    )
                )
    return Comparison(tuple(rows), (FailedRun("multihead-2/seed-0", "no"),), 0)


@pytest.fixture
def explained_runs(make_row) -> Comparison:
    """Two variants of three seeds and one that has one group; deletion of `b` is far better."""
    deletion = {"a": (0.50, 0.52, 0.54), "b": (0.10, 0.12, 0.14), "c": (0.30, 0.32, 0.34)}
    other = {"a": 0.51, "b": 0.40, "c": 0.20}
    rows = []
    for variant, values in deletion.items():
        for seed, value in enumerate(values):
            measures = {
                "recall_at_1": 0.5,
                "explanation_pairs": 50.0,
                "deletion_exact": value,
                "deletion_grad_cam": other[variant] + value - values[1],
                "deletion_exact_of_another_pair": value,
                "random_weights_exact": -0.1,
            }
            if variant != "c":
                measures["group_purity"] = 0.5 + value
            rows.append(make_row(variant, seed, measures=measures))
    return Comparison(tuple(rows), (), 0)
