"""Over all processes of this machine: one judge at a time at work on a device, or some whose work nobody times."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from cuda_l1.machine import environment


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


class Lease:
    """One session's."""

    def __init__(self, device: str, *, shared: bool) -> None:
        """`shared`: with cores of its own."""
        self._device, self._shared = device, shared
        self._file: IO[str] | None = None
        self.gave_way_s = 0.0
        """How long others had the device while this one gave way."""

    def alone(self) -> contextlib.AbstractContextManager[None]:
        """Wait for the device and hold it, or this judge's share of it."""
        return alone(self._device, shared=self._shared)

    @contextlib.contextmanager
    def beside_others(self) -> Iterator[None]:
        """Hold a GPU with whoever else does so, and not beside anybody's timing: for work whose time nobody measures. A
        CPU's cores are all this one's, or its own anyway."""
        with contextlib.ExitStack() as held:
            if self._device == "cpu":
                held.enter_context(self.alone())
            else:
                self._file = held.enter_context(opened(path(self._device)))
                held.callback(setattr, self, "_file", None)
                _enter(self._file, self._device, fcntl.LOCK_SH)
            yield

    def clock(self) -> float:
        """Seconds, without those in which others had the device."""
        return time.monotonic() - self.gave_way_s

    def give_way(self) -> None:
        """Let those have the device who wait for it, where it is held beside others. Asked before pieces of work on
        it: who waits to time does so as long as the longest of them takes."""
        if self._file is None:
            return
        began = time.monotonic()
        fcntl.flock(self._file, fcntl.LOCK_UN)
        _enter(self._file, self._device, fcntl.LOCK_SH)
        self.gave_way_s += time.monotonic() - began


def _enter(file: IO[str], device: str, how: int) -> None:
    """Whoever waits for the lease stands in its door, so that those who may share it do not go past him for ever."""
    with queue(environment.identity(device)):
        fcntl.flock(file, how)


@contextlib.contextmanager
def queue(name: str) -> Iterator[None]:
    """Stand in the door of what has that name: whoever comes later waits outside it."""
    with opened(_named(name).with_suffix(".door")) as door:
        fcntl.flock(door, fcntl.LOCK_EX)
        yield


def take(name: str, held: contextlib.ExitStack) -> bool:
    """Whether the lock of that name was free; then it is taken for as long as `held` lasts."""
    file = held.enter_context(opened(_named(name)))
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
