"""Whether a side waits for the device: the judge keeps it busy, and asks for a call meanwhile.

A GPU runs kernels of one process at a time, in slices of milliseconds. While a kernel of the judge runs, another
process's call cannot end, unless it has nothing to wait for: it launched nothing, or its synchronisation was patched
away. Which call of a turn is probed nobody is told, and nothing in the side's own process shows it.

NOT covered: GPUs that several processes use at once (MPS, MIG slices of one process each), where eager overtakes the
judge as well and nothing is concluded; calls above LONGEST_S, beside which a wait that was left out is nothing.
"""

from __future__ import annotations

import random
import time
from typing import Any, NamedTuple

import torch

from cuda_l1.judge.contender import Contender
from cuda_l1.judge.link import DELIVER, RUN
from cuda_l1.judge.process import WorkerProcess

LONGEST_S = 7e-4
"""Twice that and _BUSY_S is less than a slice: 2.4 ms on an H200, and after 2 ms nobody had overtaken (docs/log.md)."""
_LEAST_CALLS, _FEW_CALLS = 2, 4
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


def draw(rng: random.Random, calls: int, call_s: float) -> Probe | None:
    """One for a turn of so many calls; None where it would tell nothing. The first call is never probed."""
    if not are_drawn(calls, call_s):
        return None
    share = 0.5 if calls >= _FEW_CALLS else _OF_FEW
    return Probe(rng.randrange(1, calls), RUN if rng.random() < share else DELIVER)


def are_drawn(calls: int, call_s: float) -> bool:
    """Whether turns of so many calls are probed."""
    return calls >= _LEAST_CALLS and call_s <= LONGEST_S


class Seen(NamedTuple):
    """What came of one probe."""

    early: bool
    """The word was said to be done while the device was at the judge's own kernel."""
    held_up: float
    """How long that kernel took, in units of what it was asked for: much more than others of the race where a third
    program's work went between, and then a side that waits may be early too."""


def overtakes(process: WorkerProcess, word: int, device: str, call_s: float, timeout_s: float) -> tuple[Seen, float]:
    """What came of it, and the microseconds that all of it took."""
    busy_s = _BUSY_S + 2 * call_s
    started = time.perf_counter_ns()
    with torch.cuda.device(device):
        event: Any = torch.cuda.Event
        begun, ended = event(enable_timing=True), event(enable_timing=True)
        begun.record()
        torch.cuda._sleep(int(_CYCLES_PER_S * busy_s))  # type: ignore[no-untyped-call]
        ended.record()
        while not begun.query():  # the device has turned to this process
            pass
        process.command(word, timeout_s)
        early = not ended.query()
        ended.synchronize()
        took_s = begun.elapsed_time(ended) / 1e3
    return Seen(early, took_s / busy_s), (time.perf_counter_ns() - started) / 1e3
