"""A worker's kin: all processes of the session that it leads, which none of a candidate's can leave (see seccomp).

Not covered: what a worker without walls starts in another session.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Collection, Iterable
from pathlib import Path

_DEATH_S = 5.0


def members(leaders: Collection[int]) -> list[int]:
    """All in their sessions that are not dead. Asked after every turn of a candidate: to read every process's state
    took 7 ms of a block's 70."""
    its = [pid for entry in os.listdir("/proc") if entry.isdigit() and _session_of(pid := int(entry)) in leaders]
    return [pid for pid in its if not is_over(pid)]


def kill(pids: Iterable[int]) -> None:
    """Nothing where they are gone."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def end(leaders: Collection[int]) -> None:
    """Kill all in their sessions until none is left: one may start another meanwhile, and dies a moment later."""
    until = time.monotonic() + _DEATH_S
    while (left := members(leaders)) and time.monotonic() < until:
        kill(left)
        time.sleep(0.001)


def run_state(pid: int) -> str:
    """Of a process's main thread, one letter (proc_pid_stat(5)): T for stopped, X where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b") ")[2][:1].decode()
    except OSError:
        return "X"


def is_over(pid: int) -> bool:
    """Whether all threads of a process are: the main one may end and leave others at work."""
    state = run_state(pid)
    if state == "Z":
        with contextlib.suppress(OSError):
            return len(os.listdir(f"/proc/{pid}/task")) < 2
    return state in "ZX"


def cpu_s(pid: int) -> float:
    """CPU time of all threads of a process, 0 where there is none: clock_getcpuclockid(3), which Python has for threads
    only."""
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0


def _session_of(pid: int) -> int:
    try:
        return os.getsid(pid)
    except OSError:
        return 0
