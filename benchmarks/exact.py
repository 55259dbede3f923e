"""How exactly do explanations add up, over many pairs of pictures?

For random pairs of a data set's test pictures: how far the sum of the parts, of the maps over the
pictures and of the pairs of regions is from the score that the model gives, as the largest gap of
all pairs. Without `--run` the model is an untrained graph over the bundled weights.

The last line is one JSON object: `largest_gap_parts`, `largest_gap_maps`, `largest_gap_regions`,
all absolute and in score units, with the lowest and the highest score they are gaps of.

Run: python benchmarks/exact.py [--quick] [--run RUN --data DATA] [--pairs 1000]
"""

import argparse
import json
from pathlib import Path

import numpy as np

import lookalike as la
from lookalike.data import open_named
from lookalike.explanation import Explanation, explain_pairs
from lookalike.recipes import named

AT_ONCE = 50


def gaps(why: Explanation) -> tuple[float, float, float]:
    """Return how far parts, maps and regions are from the score; of maps, the farther picture."""
    over_a, over_b = (float(maps.sum()) for maps in why.maps)
    sums = (over_a + over_b,) if why.together else (over_a, over_b)
    return (
        abs(sum(group.value for group in why.groups) - why.score),
        max(abs(total - why.score) for total in sums),
        abs(float(why.regions.sum()) - why.score),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="20 pairs, to see that it works")
    parser.add_argument("--run", type=Path, help="folder of a trained model")
    parser.add_argument("--data", default="demo", help="whose test pictures are compared")
    parser.add_argument("--pairs", type=int, default=1000)
    asked = parser.parse_args()
    model = named("emoji-graph").model.build() if asked.run is None else la.load(asked.run)
    pictures = open_named(Path(asked.data)).split("test")
    count = 20 if asked.quick else asked.pairs
    drawn = np.random.default_rng(0).integers(0, len(pictures), (count, 2))
    pairs = [(pictures.path(int(i)), pictures.path(int(j))) for i, j in drawn]
    found, scores = [], []
    for start in range(0, count, AT_ONCE):
        for why in explain_pairs(model, pairs[start : start + AT_ONCE]):
            found.append(gaps(why))
            scores.append(why.score)
    parts, maps, regions = np.max(found, axis=0)
    result = {
        "largest_gap_parts": float(parts),
        "largest_gap_maps": float(maps),
        "largest_gap_regions": float(regions),
        "scores": [min(scores), max(scores)],
        "pairs": count,
        "model": "untrained" if asked.run is None else str(asked.run),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
