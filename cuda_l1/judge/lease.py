"""Over all processes of this machine: one judge at a time at work on a device, and one race on a pair of cores."""

from __future__ import annotations

import contextlib
import fcntl
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path

from cuda_l1.judge import environment


def path(device: str) -> Path:
    """The file whose lock is the lease."""
    return Path(tempfile.gettempdir()) / f"cuda-l1-{environment.identity(device)}.lock"


@contextlib.contextmanager
def alone(device: str) -> Iterator[None]:
    """Wait for the device and hold it: timing and all other work on it that would disturb timing. Builds need none."""
    with open(path(device), "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def two_cores(cores: Collection[int]) -> Iterator[tuple[int, int]]:
    """Two of these cores that no other race has now: races on several GPUs go on at once. The last pair where all are
    taken."""
    ordered, half = sorted(cores, reverse=True), len(cores) // 2
    pairs = list(zip(ordered[:half], ordered[half:], strict=False)) or [(ordered[0], ordered[0])]
    with contextlib.ExitStack() as stack:
        for pair in pairs:
            file = stack.enter_context(open(Path(tempfile.gettempdir()) / f"cuda-l1-core-{pair[0]}.lock", "a"))
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
        yield pair
