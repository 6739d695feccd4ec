"""The standard streams as they are found: closed, full, without a reader, or in an encoding of few letters.

What a person is told on stderr may be lost and changes no outcome. Not covered: what becomes of lost data (cli.shared).
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from typing import Any, TextIO

from cuda_l1 import foreign


def ready() -> None:
    """Give what is closed a place that leads nowhere, and letters that stdout does not know a `?`."""
    for fd, mode in ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(fd)
        except OSError:
            os.set_inheritable(os.open(os.devnull, mode), True)  # the lowest free number, so this one
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115 - lives as long as the process
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def drop(stream: TextIO) -> None:
    """What it holds, and all that is written to it from now on, goes nowhere: else Python tries once more at its end,
    and makes an exit code of its own of that."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        stream.flush()


class Lossy:
    """A stream whose lines are lost where they cannot be written."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """As of any stream, but for an OSError."""
        try:
            return self._stream.write(text)
        except OSError:
            drop(self._stream)
            return len(text)

    def flush(self) -> None:
        """As of any stream, but for an OSError."""
        try:
            self._stream.flush()
        except OSError:
            drop(self._stream)


def fail(text: str) -> None:
    """What went wrong, on stderr: no line of a task's words, or a server's, begins where ours do."""
    say("error: " + foreign.printable(text).replace("\n", "\n  "))


def say(text: str) -> None:
    """Words on stderr, without what a terminal would obey."""
    print(foreign.printable(text), file=Lossy(sys.stderr), flush=True)
