"""Checkpoints that a killed run resumes from as if nothing had happened.

TRL's trainer keeps weights, optimiser, schedule, the position in the data and the state of the generators of python,
numpy and torch for each process. We add what the run knows of the archive, in a file that is written last: a
checkpoint without it was cut off by a kill and is not resumed from.
Not covered: results that depend on the machine, such as times measured again and CUDA kernels that add in any order.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from accelerate import PartialState
from accelerate.utils import broadcast_object_list
from transformers import TrainerCallback

from cuda_l1 import journal
from cuda_l1.errors import UsageError

MARK = "cuda-l1.json"
BEGUN = "begun.json"
State = dict[str, Any]


class Keeper(TrainerCallback):
    """Completes each checkpoint with our own state, once every process has written its part, and renews the card."""

    def __init__(self, state: Callable[[], State], card: Callable[[], Any]) -> None:
        self._state, self._card = state, card

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        PartialState().wait_for_everyone()
        if state.is_world_process_zero:
            write(Path(args.output_dir) / f"checkpoint-{state.global_step}" / MARK, self._state())
            self._card()


class Deadline(TrainerCallback):
    """Ends the training with a checkpoint once `seconds` are over, in all processes after the same step."""

    def __init__(self, seconds: float) -> None:
        self._ends_at = time.monotonic() + seconds

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        said = [time.monotonic() >= self._ends_at]
        broadcast_object_list(said)  # the main process's clock
        if said[0]:
            control.should_save = control.should_training_stop = True


def deadline(seconds: float | None) -> list[Deadline]:
    """The callback for `stop_after_s`, counted from now."""
    return [] if seconds is None else [Deadline(seconds)]


def begin(out: Path, resume: bool, fresh: Callable[[], State]) -> tuple[Path | None, State]:
    """The checkpoint to go on from and our state in it; without one, None and the state that the run began with.

    UsageError where the folder holds a run and nobody asked to resume it. What a kill left half written is removed.
    Only the main process calls it.
    """
    found = latest(out)
    if not resume and (found or (out / BEGUN).is_file()):
        raise UsageError(f"{out} holds a run already: go on with --resume, or choose another folder as out")
    for path in _checkpoints(out):
        if not (path / MARK).is_file():
            shutil.rmtree(path)
    if found is not None:
        return found, json.loads((found / MARK).read_text())
    if not (out / BEGUN).is_file():
        write(out / BEGUN, fresh())
    return None, json.loads((out / BEGUN).read_text())


def latest(out: Path) -> Path | None:
    """The newest whole checkpoint of a run's folder."""
    return next((path for path in reversed(_checkpoints(out)) if (path / MARK).is_file()), None)


def write(path: Path, state: State) -> None:
    """By a rename, so that the file is whole or not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    journal.replace(path, json.dumps(state))


def _checkpoints(out: Path) -> list[Path]:
    found = [path for path in out.glob("checkpoint-*") if path.name.rpartition("-")[2].isdigit()]
    return sorted(found, key=lambda path: int(path.name.rpartition("-")[2]))
