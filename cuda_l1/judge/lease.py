"""Over all processes of this machine: one judge at a time at work on a device."""

from __future__ import annotations

import contextlib
import fcntl
import tempfile
from collections.abc import Iterator
from pathlib import Path

from cuda_l1.judge import environment


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


def take(name: str, held: contextlib.ExitStack) -> bool:
    """Whether the lock of that name was free; then it is taken for as long as `held` lasts."""
    path = Path(tempfile.gettempdir()) / f"cuda-l1-{name}.lock"
    file = held.enter_context(open(path, "a"))  # noqa: SIM115 - held longer than this call
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
