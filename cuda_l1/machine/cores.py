"""CPU cores: two for each race, a judge's own, and which thread is on which."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Collection, Iterator

from cuda_l1.errors import CannotJudgeError
from cuda_l1.machine import lease

_AGAIN_S = 0.05


@contextlib.contextmanager
def own_cores(count: int) -> Iterator[None]:
    """Wait for so many neighbouring CPU cores that no other judge has for its own, and stay on them. CannotJudgeError
    where this process may not use so many."""
    before = sorted(os.sched_getaffinity(0))
    groups = [before[first : first + count] for first in range(0, len(before) - count + 1, count)]
    if not groups:
        raise CannotJudgeError(f"{count} CPU cores were asked for, and this process may use {len(before)}")
    with contextlib.ExitStack() as held:
        # who looks now and then would never find free what a session after the other takes
        with lease.queue(f"own-cores-{before[0]}-{before[-1]}"):
            while (group := _free(groups, held)) is None:
                time.sleep(_AGAIN_S)
        os.sched_setaffinity(0, group)
        held.callback(os.sched_setaffinity, 0, before)
        yield


def _free(groups: list[list[int]], held: contextlib.ExitStack) -> list[int] | None:
    """One of them that is free; then it is taken for as long as `held` lasts."""
    for group in groups:
        with contextlib.ExitStack() as taken:
            if all(lease.take(f"own-core-{core}", taken) for core in group):
                held.enter_context(taken.pop_all())
                return group
    return None


@contextlib.contextmanager
def two_cores(cores: Collection[int]) -> Iterator[tuple[int, int]]:
    """Two of these cores that no other race has now: races on several GPUs go on at once. The last pair where all are
    taken."""
    with contextlib.ExitStack() as stack:
        for pair in _pairs(cores):
            if lease.take(f"core-{pair[0]}", stack):
                break
        yield pair


def race_cores(cores: Collection[int], races: int) -> set[int]:
    """Those of these cores that `two_cores` gives so many races, or as many of them as a quarter of the cores holds."""
    return {core for pair in _pairs(cores)[: min(races, len(cores) // 8)] for core in pair}


@contextlib.contextmanager
def off_races(races: int) -> Iterator[set[int]]:
    """Keep this process, and what it starts, off the cores of so many races: a compiler that was put there while a side
    was stopped would be in its time. Yields all cores, for `two_cores`."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, before - race_cores(before, races))
    try:
        yield before
    finally:
        os.sched_setaffinity(0, before)


def _pairs(cores: Collection[int]) -> list[tuple[int, int]]:
    ordered, half = sorted(cores, reverse=True), len(cores) // 2
    return list(zip(ordered[:half], ordered[half:], strict=False)) or [(ordered[0], ordered[0])]


def place(pid: int, cores: set[int], ours: int, theirs: int, *, is_cuda: bool) -> None:
    """Where a thread happens to run is no one's merit. Where a GPU does the work, every side's main thread is on
    one core and ours on another. On a CPU a side's main thread is on ours, which sleeps meanwhile, and the threads that
    it has beside it are on the others: left to itself, the main one was put beside one of these, which spins, for a
    slice of the scheduler (4 ms) while our core was idle, and some starts had two of theirs on one core for good."""
    if len(cores) < (4 if is_cuda else 2):
        return
    _move(0, {ours})
    if is_cuda:
        _move(pid, {theirs})
        return
    for thread in _threads(pid):
        _move(thread, {ours} if thread == pid else cores - {ours})


def gather(pid: int, cores: set[int]) -> None:
    """All threads of a process back on these cores."""
    for thread in _threads(pid):
        _move(thread, cores)


def _threads(pid: int) -> list[int]:
    try:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    except FileNotFoundError:
        return []


def _move(thread: int, cores: set[int]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.sched_setaffinity(thread, cores)
