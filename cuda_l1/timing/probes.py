"""Whether a side waits for the device: the judge keeps it busy, and asks for a call meanwhile.

A GPU runs kernels of one process at a time, in slices of milliseconds. While a kernel of the judge runs, another
process's call cannot end, unless it has nothing to wait for: it launched nothing, or its synchronisation was patched
away. Which call of a turn is probed nobody is told. Where inputs are large the judge's kernel waits for the device
before they are opened, and nothing in the side's own process shows it.

NOT covered: a side that waits only after the 0.1 ms that the device takes to turn to the judge (where inputs are small,
and before deliveries): what it leaves in its other calls is late, and is found where one is its turn's last; GPUs that
several processes use at once (MPS, MIG slices of one process each), where eager overtakes the judge as well and nothing
is concluded; a candidate's calls above LONGEST_S, beside which a wait that was left out is nothing.
"""

from __future__ import annotations

import functools
import math
import random
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from cuda_l1.correctness.contender import Contender
from cuda_l1.processes.process import WorkerProcess
from cuda_l1.wire.link import DELIVER, RUN

LONGEST_S = 7e-4
"""Twice that and _BUSY_S is less than a slice: 2.4 ms on an H200, and after 2 ms nobody had overtaken (docs/log.md)."""
_LEAST_CALLS, _FEW_CALLS = 2, 4
UNTOLD = RUN - 100
"""In place of a word: a call before which no pause tells that it is probed."""
LONG_US = 150.0
"""From then on taking up inputs keeps the device at work without a gap."""
_OF_FEW = 1 / 3
"""Share of the probes that are of a call, where a turn has few: one that is probed counts nothing."""
_CYCLES_PER_S = 2e9
"""Of a GPU's clock, about: how long exactly the judge's kernel runs does not matter."""
_BUSY_S = 5e-4
"""Beside twice the call: a launch must fit in, on a busy host too, and a slice of the device not be over."""


def wait_us(side: Contender) -> float:
    """How long a kernel of the judge's own takes, microseconds: longer where the device is at work."""
    return waited_us(side, launched_ns(side))


def launched_ns(side: Contender) -> int:
    """Launch such a kernel; when, by the clock."""
    started = time.perf_counter_ns()
    side.time_arena.block[:1].clone()
    return started


def waited_us(side: Contender, started: int) -> float:
    """How long it took."""
    side.synchronize()
    return (time.perf_counter_ns() - started) / 1e3


class Probe(NamedTuple):
    """The call of a turn that is probed: in front of which slot, at which of its two words."""

    position: int
    word: int
    call_s: float
    """How long a call takes that must not end meanwhile."""


def draw(rng: random.Random, calls: int, call_s: float) -> Probe | None:
    """One for a turn of so many calls; None where it would tell nothing. The first call is never probed."""
    if not are_drawn(calls, call_s):
        return None
    share = 0.5 if calls >= _FEW_CALLS else _OF_FEW
    return Probe(rng.randrange(1, calls), RUN if rng.random() < share else DELIVER, call_s)


def probed_s(eager_s: float, own_s: float) -> float:
    """Whose calls' length probes go by: the candidate's where eager's are too long to be probed. Eager's cannot be
    early there whoever uses the device: its deliveries tell."""
    return eager_s if eager_s <= LONGEST_S else own_s


def are_drawn(calls: int, call_s: float) -> bool:
    """Whether turns of so many calls are probed."""
    return calls >= _LEAST_CALLS and call_s <= LONGEST_S


class Seen(NamedTuple):
    """What came of one probe."""

    early: bool
    """The word was said to be done while the device was at the judge's own kernel."""
    held_up: float
    """How long that kernel took, in units of what it was asked for: much more than others of the race where a third
    program's work went between, and then a side that waits may be early too. Infinite where it had ended before."""


class Busy:
    """A kernel of the judge's own, which keeps the device busy for twice a call and more."""

    def __init__(self, device: str, call_s: float) -> None:
        """Launch it."""
        self._busy_s = _BUSY_S + 2 * call_s
        with torch.cuda.device(device):
            event: Any = torch.cuda.Event
            self._begun, self._ended = event(enable_timing=True), event(enable_timing=True)
            self._begun.record()
            torch.cuda._sleep(int(_CYCLES_PER_S * self._busy_s))  # type: ignore[no-untyped-call]
            self._ended.record()

    def turned_to(self) -> Busy:
        """Itself, once the device has turned to this process."""
        while not self._begun.query():
            pass
        return self

    def is_over(self) -> bool:
        """Whether it has ended."""
        return bool(self._ended.query())

    def overtaken(self, process: WorkerProcess, word: int, timeout_s: float) -> Seen:
        """What comes of asking for that meanwhile."""
        process.command(word, timeout_s)
        early = not self.is_over()
        self._ended.synchronize()
        return Seen(early, self._begun.elapsed_time(self._ended) / 1e3 / self._busy_s)


class Probing:
    """What is probed in one turn of a side."""

    def __init__(
        self, process: WorkerProcess, device: str, call_s: float, timeout_s: float, seen: dict[int, list[Seen]]
    ) -> None:
        """What comes of it is put to what was `seen`."""
        self._process, self._timeout_s, self._seen = process, timeout_s, seen
        self._launch = functools.partial(Busy, device, call_s)
        self._ahead: Busy | None = None
        self.us = 0.0
        """Of the judge's own work."""

    def opened(self, ask: Callable[..., tuple[float, float]], usual_us: float) -> tuple[float, float]:
        """Have the inputs of the call that is probed taken up, as `Laid.ask` does, which keeps the device at work for
        so long. Half way the judge's kernel is launched: the device turns to it as soon as it is done with the inputs,
        and no pause tells the side so."""
        if usual_us < LONG_US:
            return ask()

        def meanwhile() -> None:
            until = time.perf_counter_ns() + 500 * usual_us
            while time.perf_counter_ns() < until:
                pass
            self._ahead = self._launch()

        us, stopped_us = ask(meanwhile)
        if self._ahead is None or not self._ahead.is_over():
            return us, stopped_us
        self.us += us - usual_us  # it went between
        return usual_us, stopped_us

    def word(self, value: int) -> list[float]:
        """Ask for that while the device is busy; what it counts as a call."""
        began, ahead = time.perf_counter_ns(), self._ahead
        if ahead is None:
            self._seen[value].append(self._launch().turned_to().overtaken(self._process, value, self._timeout_s))
        elif ahead.is_over():
            self._process.command(value, self._timeout_s)
            self._seen[UNTOLD].append(Seen(False, math.inf))  # who sees to it is never probed, and has no win
        else:
            self._seen[UNTOLD].append(ahead.overtaken(self._process, value, self._timeout_s))
        self.us += (time.perf_counter_ns() - began) / 1e3
        return []
