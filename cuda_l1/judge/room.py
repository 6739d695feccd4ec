"""Over all processes of this machine: who has how much of a GPU's memory, so that nobody begins what has no room.

A session says what it will take once it knows its task's sizes, and waits while that and what others have said is more
than the device has; alone it begins whatever the size. A claim is a file that its process keeps locked, so that one
which is killed gives it up.
NOT covered: other programs on the GPU, and what a task's own forward takes beside its inputs and outputs.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import torch

from cuda_l1.errors import CannotJudgeError, TaskError
from cuda_l1.judge import environment
from cuda_l1.judge.arena import Layout

_POLL_S, _PATIENCE_S = 0.2, 900.0
_PROCESS_BYTES = 800 << 20
"""A CUDA context with PyTorch's kernels, on an H200."""
_RACE_CALLS, _RACE_BYTES = 64, 1 << 30
"""How many slots a race has about, and what they take at most where a call's own is less."""


class Sizes(NamedTuple):
    """Bytes of what one call reads, of what it writes, and of that in float64; and how many input sets verify."""

    inputs: int
    outputs: int
    oracles: int
    sets: int

    @classmethod
    def of(cls, layout: Layout, oracle: Layout) -> Sizes:
        """From the arenas that a session verifies in."""
        return cls(layout.input_slot_nbytes, layout.output_slot_nbytes, oracle.output_slot_nbytes, layout.input_slots)

    @property
    def least(self) -> int:
        """Bytes of arenas and copies that a session cannot do without: for each set the parent's inputs, a copy of
        them, outputs and the oracle's, and the candidate's inputs and outputs; in a race two sides' slots, and the
        inputs drawn and moved."""
        verified = self.sets * (3 * self.inputs + 2 * self.outputs + self.oracles) + self.oracles
        return verified + 8 * self.inputs + 2 * self.outputs

    @property
    def usual(self) -> int:
        """Bytes that a session takes about: beside the least the processes of the reference, eager, a rival and the
        candidate, a second one of one of these, and the many slots of a race."""
        inputs, outputs = (min(_RACE_CALLS * each, max(_RACE_BYTES, 2 * each)) for each in (self.inputs, self.outputs))
        return self.least + 5 * _PROCESS_BYTES + 2 * inputs + 4 * (inputs + outputs // 2)


@contextlib.contextmanager
def for_task(name: str, device: str, sizes: Sizes) -> Iterator[None]:
    """Wait for room for a session of that task, and hold it. TaskError where there can be none."""
    there = torch.cuda.mem_get_info(device)[1]
    if sizes.least > there:
        reads, writes, least, has = (n / 2**30 for n in (sizes.inputs, sizes.outputs, sizes.least, there))
        raise TaskError(
            f"task {name}: a call reads {reads:.1f} GiB and writes {writes:.1f}; to verify and to race that takes "
            f"{least:.0f} GiB of the device's memory, which has {has:.0f}: judge another size with --set NAME=VALUE"
        )
    with claimed(device, sizes.usual, there):
        yield


@contextlib.contextmanager
def claimed(device: str, nbytes: int, capacity: int) -> Iterator[None]:
    """Wait until there is room for so many bytes of `capacity` beside what others have claimed, and claim it.
    CannotJudgeError if there is none for a quarter of an hour."""
    folder = Path(tempfile.gettempdir()) / f"cuda-l1-{environment.identity(device)}-room"
    folder.mkdir(exist_ok=True)
    own = folder / f"{os.getpid()}-{secrets.token_hex(4)}"
    with contextlib.ExitStack() as held:
        until = time.monotonic() + _PATIENCE_S
        while not _entered(folder, own, nbytes, capacity, held):
            if time.monotonic() > until:
                raise CannotJudgeError(
                    f"{nbytes / 2**30:.0f} of the {capacity / 2**30:.0f} GiB of {device} are wanted, and other judges "
                    f"have had too much of the rest for {_PATIENCE_S / 60:.0f} minutes: end one, or use fewer --workers"
                )
            time.sleep(_POLL_S)
        try:
            yield
        finally:
            own.unlink(missing_ok=True)


def _entered(folder: Path, own: Path, nbytes: int, capacity: int, held: contextlib.ExitStack) -> bool:
    with open(folder / "door", "a") as door:
        fcntl.flock(door, fcntl.LOCK_EX)
        others = sum(_claims(folder))
        if others and others + nbytes > capacity:
            return False
        file = held.enter_context(open(own, "w"))  # noqa: SIM115 - held longer than this call
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(str(nbytes))
        file.flush()
        return True


def _claims(folder: Path) -> Iterator[int]:
    """What other living processes have claimed; claims of dead ones are removed."""
    for path in folder.glob("*-*"):
        if path.name.startswith(f"{os.getpid()}-"):  # a session within a session would wait for itself
            continue
        with contextlib.suppress(FileNotFoundError), open(path) as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                yield int(file.read())
            else:
                path.unlink()
