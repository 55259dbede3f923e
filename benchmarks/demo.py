"""Does the demo hold over seeds? R@1 on unseen concepts, before and after, A and N, several seeds.

Runs `lookalike demo` as a user would, once a seed, and prints one JSON object, last. Twelve
minutes on two cores; with --quick one seed.

    python benchmarks/demo.py [--quick] [--seeds 0 1 2]
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from statistics import median

PROGRAM = [sys.executable, "-c", "from lookalike.cli import main; main()"]


def demo(seed: int, folder: str) -> dict[str, float]:
    arguments = ["demo", "--json", "--out", f"{folder}/{seed}", "--set", f"seed={seed}"]
    done = subprocess.run([*PROGRAM, *arguments], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the first seed only")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    options = parser.parse_args()
    seeds = options.seeds[:1] if options.quick else options.seeds
    with tempfile.TemporaryDirectory() as folder:
        runs = [demo(seed, folder) for seed in seeds]
    print("seed  before  N      A      rise   max gap  seconds")
    for seed, run in zip(seeds, runs, strict=True):
        before, single, after = (run[f"recall_at_1_{key}"] for key in ("before", "single", "after"))
        print(
            f"{seed:<5} {before:.3f}   {single:.3f}  {after:.3f}  {after - before:+.3f}  "
            f"{run['max_gap']:.1e}  {run['seconds']:.0f}"
        )
    medians = {
        key: round(median(run[key] for run in runs), 4)
        for key in ("recall_at_1_before", "recall_at_1_single", "recall_at_1_after", "seconds")
    }
    rises = [run["recall_at_1_after"] - run["recall_at_1_before"] for run in runs]
    over_single = [run["recall_at_1_after"] - run["recall_at_1_single"] for run in runs]
    print(
        json.dumps(
            {
                **medians,
                "rise": round(median(rises), 4),
                "attentive_over_single": round(median(over_single), 4),
                "max_gap": max(run["max_gap"] for run in runs),
                "seeds": seeds,
                "peak_gib": round(
                    resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20, 2
                ),
            }
        )
    )


if __name__ == "__main__":
    main()
