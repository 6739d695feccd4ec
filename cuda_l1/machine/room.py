"""Over all processes of this machine: who has how much of a GPU's memory, so that nobody begins what has no room.

A session says what it will take once it knows its task's sizes, and waits while that and what others have said is more
than the device has; who came first enters first, and alone one begins whatever the size. A claim is a file that its
process keeps locked, so that one which is killed gives it up. A task whose sets of inputs and outputs are too large to
stay on the device beside everything else has them on the host, and if need be no rival (see `Room`).
NOT covered: other programs on the GPU, a candidate whose calls allocate more than the task's own, and a task's first
call, by which its sizes are found.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import torch

from cuda_l1.errors import CannotJudgeError, TaskError
from cuda_l1.machine import environment, lease
from cuda_l1.wire import seal

NO_MEMORY = re.compile("out of memory|OutOfMemory|ALLOC_FAILED|busy or unavailable")
"""In whosever words: the driver's on an H200 where a context finds none are that a device is busy or unavailable."""
_POLL_S, _PATIENCE_S, _FULL_S, _ENDED_S = 0.2, 3600.0, 20.0, 2.0
_PROCESS_BYTES = 800 << 20
"""A CUDA context with PyTorch's kernels, on an H200."""
_WAITING_BYTES = 2 * _PROCESS_BYTES + (1 << 30)
"""What a session has while it waits: two processes, of which the reference's keeps some memory."""
_COMPARED, _COMPARED_BYTES = 16, 2 << 30
"""What it takes to compare outputs: so many times their bytes, and no more than in one part (`verify.compare`)."""
LENT_BYTES = 1 << 30
"""Weights that are larger go to a process through the host's memory, and others are kept there."""
_WEIGHTS = 11
"""How many weights are kept, where they are not small."""
_RACE_BYTES, _MOST_CALLS = 1 << 30, 16
"""What the input slots of a race on a GPU take at most, and its output slots, where one is not more; and how many calls
a turn has: with half as many intervals of short calls were two to three times as wide (docs/log.md)."""
LARGE_BYTES = 256 << 20
"""Of a call's inputs: no GPU reads half of it in less than 25 us, so that of more no others lie in a slot as an output
is delivered from it (`race`), and one slot is enough where two have no room."""
_CACHE_BYTES = 192 << 20
"""About one and a half times the largest second-level cache there is (126 MB, a B200's)."""
_MOVED, _REFUSED = 64, 32
"""While its call moves less than these parts of a device, a task's sets are never moved, and it is never refused."""


class Room(NamedTuple):
    """What a session of a task has room for."""

    keeps: bool = True
    """Whether input sets, and what must come of them, stay on the device; else they lie on the host, one less."""
    rival: bool = True
    """Whether the best baseline races beside eager; else it is compared through eager."""
    spare: bool = True
    """Whether another start of a candidate meets other processes of eager and the rival."""
    one_slot: bool = False
    """Whether a race has room for the inputs of a single call, so that they are laid out before every turn."""
    nbytes: int = 0
    """Of the device, about."""

    @property
    def said(self) -> str:
        """What is left out, for a note; empty where nothing is."""
        of_sets = [
            "one input set less",
            "an output at an edge of the reference is wrong",
            "fewer bits within the bound pass",
        ]
        lost = [] if self.keeps else of_sets
        lost += [] if self.spare else ["a second start meets the same process of eager"]
        lost += [] if self.rival else ["the best baseline is compared through eager"]
        return ", ".join(lost)


ALL = Room()


class Sizes(NamedTuple):
    """What a task takes, in bytes."""

    inputs: int
    """What a call reads."""
    outputs: int
    """What it writes."""
    oracles: int
    """That in float64."""
    drawn: int
    """What drawing inputs allocates at most."""
    call: int
    """What the task's own call allocates at most."""
    weights: int
    kept: int
    """What the sets take on which it is verified, with what must come of them."""
    rivals: bool = True
    """Whether there are baselines beside eager."""

    def taken(self, starts: int, room: Room = ALL) -> int:
        """Bytes that a session takes about, for so many starts a verdict."""
        inputs, outputs, holds = self.inputs, self.outputs, _PROCESS_BYTES + self.weights + self._lent
        process = holds + max(self.call, self._lent)
        calls = 1 if room.one_slot else race_calls(inputs, outputs)  # of a turn, and a block has two
        slots = inputs if room.one_slot else 2 * calls * inputs
        race = slots + calls * outputs
        process += 0 if room.one_slot else _pad_bytes(inputs)
        first, other = max(2 * inputs + 3 * outputs, race) + process, max(inputs + outputs, race) + process
        more = max(starts, 2) - 1 if room.spare else starts - 1
        taken = first + (starts - 1) * other  # of the candidate, whose processes end before it starts once more
        taken += (1 + more) * other  # of eager
        if room.rival and self.rivals:
            taken += (first if room.keeps else other) + more * other
            taken += (1 + more) * inputs  # a CUDA graph has a copy of them
        taken += inputs + max(2 * outputs, self.oracles) + max(inputs, self.drawn, self._lent) + holds
        # the judge: inputs drawn, one more of them, where they are sealed, and compared; outputs taken and compared
        taken += slots if room.one_slot else 2 * slots + (1 + starts) * inputs
        taken += 2 * outputs + _PROCESS_BYTES
        taken += min(_COMPARED * outputs, _COMPARED_BYTES)
        if room.keeps:  # and the oracle is asked again, beside all others
            taken += self.kept + 2 * (inputs + self.call + self.weights)
            taken += _WEIGHTS * self._lent
        return taken

    @property
    def least(self) -> Room:
        """What is left of one where all that may be left out is."""
        return Room(keeps=False, rival=False, spare=False, one_slot=self.inputs > LARGE_BYTES)

    @property
    def _lent(self) -> int:
        """Bytes through which a process is given its weights, and of their copies there, which are gone by a call."""
        return self.weights if self.weights <= LENT_BYTES else 0

    def room(self, there: int, starts: int) -> Room | None:
        """What there is room for on a device with so many bytes, for so many starts a verdict; None for too little."""
        moves = self.inputs + self.outputs
        least = [Room(keeps=False, spare=False), self.least._replace(one_slot=False), self.least]
        left = least if moves >= there // _MOVED else [Room(rival=False, spare=False)]
        for each in [ALL, Room(spare=False), *left]:
            room = each._replace(one_slot=each.one_slot or 2 * self.inputs > _RACE_BYTES)
            found = room._replace(nbytes=self.taken(starts, room))
            if found.nbytes <= there:
                return found
        return None if moves >= there // _REFUSED else found


def race_calls(inputs: int, outputs: int) -> int:
    """How many calls a turn of a race on a GPU has room for, of so many bytes each."""
    return max(min(_MOST_CALLS, _RACE_BYTES // max(2 * inputs, 1), _RACE_BYTES // max(outputs, 1)), 1)


def _pad_bytes(inputs: int) -> int:
    """What taking off a seal takes in a process."""
    return inputs if inputs < seal.WASHED_FROM else max(inputs, _CACHE_BYTES)


@contextlib.contextmanager
def for_task(name: str, device: str, sizes: Sizes, starts: int) -> Iterator[Room]:
    """Wait for room for a session of that task, and hold it. TaskError where there can be none."""
    there = torch.cuda.mem_get_info(device)[1]
    room = sizes.room(there, starts)
    if room is None:
        least = sizes.taken(starts, sizes.least)
        of = (sizes.inputs, sizes.outputs, sizes.call, least, there)
        reads, writes, allocates, takes, has = (nbytes / 2**30 for nbytes in of)
        raise TaskError(
            f"task {name}: a call reads {reads:.1f} GiB, writes {writes:.1f} and allocates {allocates:.1f}; to verify "
            f"and to race that takes {takes:.0f} GiB of the device's memory, which has {has:.0f}: judge another size "
            f"with --set NAME=VALUE{' or with --effort quick, which has one start a verdict' if starts > 1 else ''}"
        )
    with claimed(device, room.nbytes, there):
        yield room


def wait_to_begin(device: str) -> None:
    """Wait as below for what a session has before it says how much it will take; of a small GPU for a quarter."""
    with contextlib.suppress(RuntimeError):
        there = torch.cuda.get_device_properties(device).total_memory
        wait_while_full(device, min(_WAITING_BYTES, there // 4))


def wait_while_full(device: str, nbytes: int = 0) -> bool:
    """Wait until so many bytes of a GPU are free, or half of them: a candidate that took all of it is ended soon; 20 s
    at most. Whether they were not for longer than it takes to end a process that had them; no CPU is full."""
    if device == "cpu":
        return False
    nbytes = nbytes or torch.cuda.get_device_properties(device).total_memory // 2
    began = time.monotonic()
    while _free(device) < nbytes and time.monotonic() < began + _FULL_S:
        time.sleep(_POLL_S)
    return time.monotonic() > began + _ENDED_S


def _free(device: str) -> int:
    """Bytes; none where this process, whose first word to the device it may be, is refused a context for want of them.
    What else is wrong with the device is told to who needs it next."""
    try:
        return torch.cuda.mem_get_info(device)[0]
    except RuntimeError as error:
        return 0 if NO_MEMORY.search(str(error)) else sys.maxsize


@contextlib.contextmanager
def claimed(device: str, nbytes: int, capacity: int) -> Iterator[None]:
    """Wait until there is room for so many bytes of `capacity` beside what others have claimed, and claim it.

    CannotJudgeError if there is none for an hour; and at once if there is none while this process holds a claim
    already, for two that hold one and wait for another's wait for ever.
    """
    folder = Path(tempfile.gettempdir()) / f"cuda-l1-{environment.identity(device)}-room"
    folder.mkdir(exist_ok=True)
    with contextlib.suppress(PermissionError):  # whoever made it has let all in
        folder.chmod(0o1777)
    with contextlib.ExitStack() as held:
        claim = _Claim(folder, held)
        until = time.monotonic() + (0.0 if _holding else _PATIENCE_S)
        while not claim.enter(nbytes, capacity):
            if time.monotonic() > until:
                waited = "and this process, which holds some already, does not wait" if _holding else (
                    f"and have had for {_PATIENCE_S / 60:.0f} minutes"
                )  # fmt: skip
                raise CannotJudgeError(
                    f"{nbytes / 2**30:.0f} of the {capacity / 2**30:.0f} GiB of {device} are wanted, other judges have "
                    f"too much of the rest, {waited}: end one, or use fewer --workers"
                )
            time.sleep(_POLL_S)
        _holding.append(claim.path)
        held.callback(_holding.remove, claim.path)
        yield


_own: set[Path] = set()
"""Claims of this process, by name: in another container another one has its number."""
_holding: list[Path] = []
"""Those that have what they ask for."""


class _Claim:
    """A place in the line, and then a claim: a locked file whose name says who came first, and its text how much it
    has; with a minus while it waits, for its process and the reference's are there."""

    def __init__(self, folder: Path, held: contextlib.ExitStack) -> None:
        self._folder = folder
        with self._door():
            last = max((_number(path) for path in folder.glob("*-*")), default=0)
            self.path = folder / f"{last + 1}-{os.getpid()}"
            self._file = held.enter_context(open(self.path, "w"))  # noqa: SIM115 - held longer than this call
            os.fchmod(self._file.fileno(), 0o644)
            fcntl.flock(self._file, fcntl.LOCK_EX)
            self._write(-_WAITING_BYTES)
            _own.add(self.path)
        held.callback(_own.discard, self.path)
        held.callback(self.path.unlink, missing_ok=True)

    @contextlib.contextmanager
    def _door(self) -> Iterator[None]:
        with lease.opened(self._folder / "door") as door:
            fcntl.flock(door, fcntl.LOCK_EX)
            yield

    def enter(self, nbytes: int, capacity: int) -> bool:
        """Whether there is room, and nobody before this one waits for some; then it is claimed."""
        with self._door():
            others = dict(self._others())
            has = sum(map(abs, others.values()))
            # who holds some passes those who wait, for it is what they wait for
            first = bool(_holding) or all(_number(self.path) < _number(path) for path, its in others.items() if its < 0)
            alone = all(its < 0 for its in others.values())
            if not first or not (alone or has + nbytes <= capacity):
                return False
            self._write(nbytes)
            return True

    def _write(self, nbytes: int) -> None:
        self._file.seek(0)
        self._file.truncate()
        self._file.write(str(nbytes))
        self._file.flush()

    def _others(self) -> Iterator[tuple[Path, int]]:
        """What other living processes have; claims of dead ones are removed."""
        for path in self._folder.glob("*-*"):
            if path in _own:  # a session within a session would wait for itself
                continue
            with contextlib.suppress(FileNotFoundError), open(path) as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                except BlockingIOError:
                    yield path, int(file.read())
                else:
                    with contextlib.suppress(PermissionError):  # another user's; it counts nothing
                        path.unlink()


def _number(path: Path) -> int:
    return int(path.name.partition("-")[0])
