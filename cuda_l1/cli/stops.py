"""Whoever is told to stop keeps the best so far: SIGTERM and SIGHUP end a command as Ctrl-C does.

By default either would end it at once, with workers at work and nothing said. A SIGHUP that is ignored (nohup)
stays ignored.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

_told = [signal.SIGINT]
"""The signals that asked for an end, the latest last."""


class _StopError(KeyboardInterrupt):
    """Python's own, raised within an `exec` of text (as by imports of dataclasses), would end `python -m` by SIGINT
    whatever exit code it asks for, even where it was caught."""


@contextmanager
def heard() -> Iterator[None]:
    """While it lasts, all of them raise KeyboardInterrupt. In the main thread."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    mine = [number for number, handler in before.items() if handler is not signal.SIG_IGN]
    for number in mine:
        signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number in mine:
            signal.signal(number, before[number])


def exit_code() -> int:
    """Of a command that was interrupted: 128 and the signal's number, as a shell says it."""
    return 128 + _told[-1]


def _interrupt(number: int, _: FrameType | None) -> NoReturn:
    _told.append(signal.Signals(number))
    raise _StopError
