"""What a training run measures: one JSON line a step in metrics.jsonl, and one line for a person.

Figures of TRL (loss, reward, KL ...) and of the rollouts (success, fast, hacks ...) come in with each log; rates are
added here, before any tracker (tensorboard, trackio, wandb) sees the log, so that all have the same figures.
Not covered: plots, and the evaluation of the trained model.
"""

from __future__ import annotations

import contextlib
import json
import math
import statistics
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from torch.nn.utils import get_total_norm
from transformers import TrainerCallback

from cuda_l1 import journal
from cuda_l1.machine import environment

FILE = "metrics.jsonl"
SHOWN = {
    "loss": "{:.4f}", "reward": "{:.3f}", "success": "{:.0%}", "fast": "{:.0%}", "hacks": "{:.0%}", "kl": "{:.4f}",
    "tokens_per_s": "{:.0f} tok/s", "judged_per_s": "{:.2f} judged/s", "gpu_idle": "{:.0%}",
}  # fmt: skip
"""In the line for a person, in this order; those with a unit of their own stand without their name."""


class Progress(TrainerCallback):
    """Adds rates to each log, writes it down, and says it.

    `forgets`: the trainer counts its tokens from 0 when it resumes, as TRL's SFT does and its GRPO does not.
    """

    def __init__(self, path: Path, say: Callable[[str], None], idle: GpuIdle, *, forgets: bool = False) -> None:
        self._path, self._say, self._idle, self._forgets = path, say, idle, forgets
        self._last, self._tokens, self._forgotten = time.monotonic(), 0.0, 0.0

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if state.is_world_process_zero:
            rows = truncate(self._path, state.global_step)
            self._tokens = float(rows[-1]["num_tokens"]) if rows else 0.0
        self._forgotten = self._tokens if self._forgets else 0.0
        self._last = time.monotonic()

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        if "loss" not in logs:
            return  # the summary at the end
        now = time.monotonic()
        seconds = now - self._last
        tokens = float(logs["num_tokens"]) + self._forgotten
        logs["num_tokens"], logs["tokens_per_s"] = tokens, (tokens - self._tokens) / seconds
        if "judged" in logs:
            logs["judged_per_s"] = logs["judged"] * args.world_size / seconds
        if (idle := self._idle.share()) is not None:
            logs["gpu_idle"] = idle
        self._last, self._tokens = now, tokens
        if not state.is_world_process_zero:
            return
        row = {"step": state.global_step, "time": time.time(), **logs}
        with open(self._path, "a") as file:
            file.write(json.dumps(row) + "\n")
        self._say(line(row, state.max_steps))


class OnlyFinite(TrainerCallback):
    """Leaves out a step whose gradient is not finite: taken, it would make every weight NaN, for good."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> None:
        gradients = [each.grad for each in model.parameters() if each.grad is not None]
        if get_total_norm(gradients, norm_type=math.inf).isfinite():  # of all at once: the device is waited for once
            return
        for each in model.parameters():
            each.grad = None  # a gradient of 0 would let the optimiser's momentum move the weights
        self._say(f"step {state.global_step + 1}: the gradient is not finite, the weights stay as they are")


class GpuIdle:
    """The share of time in which a GPU ran nothing, from what the driver says twice a second."""

    def __init__(self, device: str) -> None:
        self._samples: list[float] = []
        self._process: subprocess.Popen[str] | None = None
        if not device.startswith("cuda"):
            return
        command = ["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits", "-lms", "500"]
        with contextlib.suppress(OSError):
            self._process = subprocess.Popen(
                [*command, "-i", environment.identity(device)],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            )  # fmt: skip
            threading.Thread(target=self._read, daemon=True).start()

    def share(self) -> float | None:
        """Since the last call; None where nobody knows."""
        taken, self._samples = self._samples, []
        return statistics.fmean(taken) if taken else None

    def close(self) -> None:
        """End the watcher."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()

    def _read(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        for text in self._process.stdout:
            if text.strip().isdigit():
                self._samples.append(1 - int(text) / 100)


def line(row: dict[str, Any], steps: int) -> str:
    """One step in words."""
    parts = []
    for name, form in SHOWN.items():
        if isinstance(row.get(name), int | float):
            value = form.format(row[name])
            parts.append(value if " " in value else f"{name.replace('_', ' ')} {value}")
    return f"step {row['step']}/{steps}  {'  '.join(parts)}"


def truncate(path: Path, step: int) -> list[dict[str, Any]]:
    """Drop the lines after a step, those of a killed run that a resumed one will write again; what is left."""
    rows = [row for row in journal.lines(path) if row["step"] <= step]
    journal.replace(path, "".join(json.dumps(row) + "\n" for row in rows))
    return rows


def means(rows: Sequence[dict[str, Any]], names: Sequence[str]) -> dict[str, float]:
    """The mean of each figure over the rows that have it."""
    found = {name: [row[name] for row in rows if isinstance(row.get(name), int | float)] for name in names}
    return {name: statistics.fmean(values) for name, values in found.items() if values}
