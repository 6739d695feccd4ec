"""Over all processes of this machine: one judge at a time at work on a device, or some whose work nobody times."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from cuda_l1.judge import environment


def path(device: str) -> Path:
    """The file whose lock is the lease."""
    return _named(environment.identity(device))


def _named(name: str) -> Path:
    return Path(tempfile.gettempdir()) / f"cuda-l1-{name}.lock"


def opened(path: Path) -> IO[str]:
    """A file that every user of the machine may lock: to read, which is all that a lock needs, and others may not write
    to one's files in a folder for temporary ones."""
    while True:
        with contextlib.suppress(FileNotFoundError):
            return open(path)
        with contextlib.suppress(FileExistsError), open(path, "x") as made:
            os.fchmod(made.fileno(), 0o644)


@contextlib.contextmanager
def alone(device: str, *, shared: bool = False) -> Iterator[None]:
    """Wait for the device and hold it: timing and all other work on it that would disturb timing. Builds need none.
    `shared`: with others that have cores of their own, and with nobody who needs the whole device."""
    with opened(path(device)) as file:
        _enter(file, device, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def beside(device: str) -> Iterator[Callable[[], None]]:
    """Hold the device with whoever else does so, and not beside anybody's timing: for work whose time nobody measures.
    What it yields gives way to those who wait, and returns when the device is free for such work again."""
    with opened(path(device)) as file:

        def give_way() -> None:
            fcntl.flock(file, fcntl.LOCK_UN)
            _enter(file, device, fcntl.LOCK_SH)

        _enter(file, device, fcntl.LOCK_SH)
        yield give_way


def _enter(file: IO[str], device: str, how: int) -> None:
    """Whoever waits for the lease stands in its door, so that those who may share it do not go past him for ever."""
    with opened(path(device).with_suffix(".door")) as door:
        fcntl.flock(door, fcntl.LOCK_EX)
        fcntl.flock(file, how)


def take(name: str, held: contextlib.ExitStack) -> bool:
    """Whether the lock of that name was free; then it is taken for as long as `held` lasts."""
    file = held.enter_context(opened(_named(name)))
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
