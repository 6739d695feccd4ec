"""How long `cuda-l1 --help` takes, and the imports behind it: each in a fresh interpreter, file caches warm.

    python benchmarks/startup.py --repeats 15 --out startup.json

design: --help answers in under 0.3 s, because torch, the database and the model client are imported when needed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

from journal import table

WHAT = {
    "python, nothing": ["-c", "pass"],
    "cuda-l1 --help": ["-m", "cuda_l1.cli", "--help"],
    "cuda-l1 optimize --help": ["-m", "cuda_l1.cli", "optimize", "--help"],
    "import cuda_l1.types": ["-c", "import cuda_l1.types"],
    "import cuda_l1.cli": ["-c", "import cuda_l1.cli"],
    "import cuda_l1.judge": ["-c", "import cuda_l1.judge"],
    "import torch": ["-c", "import torch"],
}
WANTED_S = 0.3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    seconds = {what: measure(command, arguments.repeats) for what, command in WHAT.items()}
    if arguments.out:
        found = {"seconds": seconds, "python": platform.python_version(), "processors": os.cpu_count()}
        arguments.out.write_text(json.dumps(found, indent=1))
    lines = [
        (what, f"{statistics.median(its):.3f}", f"{min(its):.3f}", f"{max(its):.3f}") for what, its in seconds.items()
    ]
    print(table(("what", "median, s", "least", "largest"), lines))
    median = statistics.median(seconds["cuda-l1 --help"])
    word = "holds" if median < WANTED_S else "MISSED"
    print(f"\n`cuda-l1 --help`: {median:.3f} s; wanted: under {WANTED_S} s: {word}")


def measure(command: list[str], repeats: int) -> list[float]:
    """Seconds of each run but the first, which warms the file cache."""
    taken = []
    for _ in range(repeats + 1):
        started = time.perf_counter()
        subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
        taken.append(time.perf_counter() - started)
    return taken[1:]


if __name__ == "__main__":
    main()
