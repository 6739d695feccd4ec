"""Over all processes of this machine: one judge at a time at work on a device, one race on a pair of cores, and cores
of a judge's own."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import time
from collections.abc import Collection, Iterator
from pathlib import Path

from cuda_l1.errors import CannotJudgeError
from cuda_l1.judge import environment

_AGAIN_S = 0.05


def path(device: str) -> Path:
    """The file whose lock is the lease."""
    return Path(tempfile.gettempdir()) / f"cuda-l1-{environment.identity(device)}.lock"


@contextlib.contextmanager
def alone(device: str, *, shared: bool = False) -> Iterator[None]:
    """Wait for the device and hold it: timing and all other work on it that would disturb timing. Builds need none.
    `shared`: with others that have cores of their own, and with nobody who needs the whole device."""
    with open(path(device), "a") as file:
        fcntl.flock(file, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def own_cores(count: int) -> Iterator[None]:
    """Wait for so many neighbouring CPU cores that no other judge has for its own, and stay on them. CannotJudgeError
    where this process may not use so many."""
    before = sorted(os.sched_getaffinity(0))
    groups = [before[first : first + count] for first in range(0, len(before) - count + 1, count)]
    if not groups:
        raise CannotJudgeError(f"{count} CPU cores were asked for, and this process may use {len(before)}")
    while True:
        for group in groups:
            with contextlib.ExitStack() as held:
                if all(_take(f"own-core-{core}", held) for core in group):
                    os.sched_setaffinity(0, group)
                    held.callback(os.sched_setaffinity, 0, before)
                    yield
                    return
        time.sleep(_AGAIN_S)


def _take(name: str, held: contextlib.ExitStack) -> bool:
    """Whether the lock of that name was free; then it is taken for as long as `held` lasts."""
    path = Path(tempfile.gettempdir()) / f"cuda-l1-{name}.lock"
    file = held.enter_context(open(path, "a"))  # noqa: SIM115 - held longer than this call
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def two_cores(cores: Collection[int]) -> Iterator[tuple[int, int]]:
    """Two of these cores that no other race has now: races on several GPUs go on at once. The last pair where all are
    taken."""
    ordered, half = sorted(cores, reverse=True), len(cores) // 2
    pairs = list(zip(ordered[:half], ordered[half:], strict=False)) or [(ordered[0], ordered[0])]
    with contextlib.ExitStack() as stack:
        for pair in pairs:
            if _take(f"core-{pair[0]}", stack):
                break
        yield pair
