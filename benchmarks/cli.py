"""How long does `--help` take, for the program and for each of its commands?

Compared with starting Python and importing Typer, in turns. Prints one JSON object, last.

    python benchmarks/cli.py [--quick]
"""

import argparse
import json
import subprocess
import sys
import time
from statistics import median

COMMANDS = ("", "demo", "train", "evaluate", "embed", "explain", "data check", "recipe show")
PROGRAM = [sys.executable, "-c", "from lookalike.cli import main; main()"]
REFERENCE = [sys.executable, "-c", "import typer, rich.console"]


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="3 rounds instead of 9")
    rounds = 3 if parser.parse_args().quick else 9
    seconds(REFERENCE)  # the first start reads files from the disk
    times: dict[str, list[float]] = {command: [] for command in COMMANDS}
    reference: list[float] = []
    for _ in range(rounds):
        reference.append(seconds(REFERENCE))
        for command in COMMANDS:
            times[command].append(seconds([*PROGRAM, *command.split(), "--help"]))
    medians = {f"lookalike {command}".strip(): median(t) for command, t in times.items()}
    for command, value in medians.items():
        print(f"{command:<24} --help  {value:.3f} s")
    slowest = max(medians.values())
    print(
        json.dumps(
            {
                "ratio_typer": round(slowest / median(reference), 2),
                "help_s": round(medians["lookalike"], 3),
                "slowest_help_s": round(slowest, 3),
                "rounds": rounds,
            }
        )
    )


if __name__ == "__main__":
    main()
