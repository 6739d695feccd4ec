"""The learning curves of training runs as one figure: a panel for each folder's metrics.jsonl.

    python benchmarks/training_curves.py runs/sft runs/selfsup runs/contrastive -o curves.png

`sft` shows its loss, the stages that sample the shares of answers that are right, faster with certainty, without code.
Needs matplotlib.
NOT covered: tests of a trained policy (`cuda-l1 eval`), and smoothing: every step is a point.
"""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path
from typing import Any

from cuda_l1 import journal

SHOWN = ("success", "fast", "no_code")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, help="each the `out` of a stage")
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    curves = {folder.name: curve(folder) for folder in arguments.folders}
    importlib.import_module("matplotlib").use("agg")
    pyplot = importlib.import_module("matplotlib.pyplot")
    figure, panels = pyplot.subplots(1, len(curves), figsize=(4.2 * len(curves), 3.2), squeeze=False)
    for panel, (name, values) in zip(panels[0], curves.items(), strict=True):
        for label, points in values.items():
            panel.plot(*zip(*points, strict=True), marker="o" if len(points) < 20 else "", label=label)
        panel.set(title=name, xlabel="step", ylim=(0, None) if "loss" in values else (0, 1.02))
        panel.legend(framealpha=0.6)
    figure.tight_layout()
    figure.savefig(arguments.output, dpi=110)


def curve(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """By figure, (step, value) of each step of a run. SystemExit where nothing was logged."""
    rows: list[dict[str, Any]] = list(journal.lines(folder / "metrics.jsonl"))
    shown = SHOWN if any("success" in row for row in rows) else ("loss",)
    found = {name: [(row["step"], row[name]) for row in rows if name in row] for name in shown}
    if not any(found.values()):
        raise SystemExit(f"{folder}/metrics.jsonl holds no step: expected the folder that a stage wrote to")
    return {name: points for name, points in found.items() if points}


if __name__ == "__main__":
    main()
