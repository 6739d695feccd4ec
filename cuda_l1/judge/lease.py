"""One judge at a time at work on a device, over all processes of this machine."""

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
def alone(device: str) -> Iterator[None]:
    """Wait for the device and hold it: timing and all other work on it that would disturb timing. Builds need none."""
    with open(path(device), "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
