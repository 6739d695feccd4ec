"""What machine this is, for the record that goes with every figure. Loads torch only for what it has to say."""

from __future__ import annotations

import functools
import os
import platform
import re
import subprocess
import time
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from cuda_l1.errors import CannotJudgeError
from cuda_l1.sandbox import kin, layers
from cuda_l1.types import Environment, Finding

JUDGE_VERSION = "72"
"""Rises with every change that may change a verdict or a figure."""


def host_free_nbytes() -> int:
    """Bytes of the host's memory that a program may have: what files are kept there gives way, so that it counts."""
    said = Path("/proc/meminfo").read_text().partition("MemAvailable:")[2].split(maxsplit=1)
    return int(said[0]) << 10 if said else os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")


def require(device: str) -> None:
    """CannotJudgeError unless `device` (cpu, cuda, cuda:N) is there."""
    if device == "cpu":
        return
    if not device.startswith("cuda"):
        raise CannotJudgeError(f"unknown device {device!r}: expected cpu, cuda or cuda:N")
    import torch

    if not torch.cuda.is_available():
        raise CannotJudgeError(
            f"--device {device}: no CUDA device found by torch {torch.__version__}; "
            "use --device cpu, or install a CUDA build of torch"
        )
    index = int(device.partition(":")[2] or 0)
    if index >= torch.cuda.device_count():
        raise CannotJudgeError(
            f"--device {device}: this machine has {torch.cuda.device_count()} CUDA device(s), numbered from 0"
        )


def gpus() -> int:
    """How many GPUs the machine has, also those that CUDA_VISIBLE_DEVICES hides from this process: the other workers of
    a pool race there."""
    import torch

    files = [name for name in os.listdir("/dev") if re.fullmatch(r"nvidia\d+", name)]
    return max(len(files), torch.cuda.device_count())


@functools.cache
def device_name(device: str) -> str:
    """The marketing name of the GPU or CPU."""
    if device.startswith("cuda"):
        import torch

        return torch.cuda.get_device_name(device)
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


@functools.cache
def identity(device: str) -> str:
    """The device's own name: on a GPU its UUID, since its number depends on CUDA_VISIBLE_DEVICES."""
    if not device.startswith("cuda"):
        return device
    import torch

    return f"GPU-{torch.cuda.get_device_properties(device).uuid}"


def describe(device: str, threads: int, sandbox_wanted: str, clocks: str | None) -> Environment:
    """The environment of an evaluation on `device`."""
    import torch

    is_cuda = device.startswith("cuda")
    return Environment(
        device=device_name(device),
        arch="sm_{}{}".format(*torch.cuda.get_device_capability(device)) if is_cuda else platform.machine(),
        driver=_driver(device) if is_cuda else None,
        cuda=torch.version.cuda if is_cuda else None,
        torch=torch.__version__,
        triton=_version("triton"),
        compiler=_compiler(),
        python=platform.python_version(),
        threads=threads,
        clocks=clocks,
        sandbox=layers.layers(sandbox_wanted),
        judge_version=JUDGE_VERSION,
    )


def oom_kills() -> int:
    """How many processes the kernel has ended for want of memory since it began; 0 where it does not say."""
    try:
        with open("/proc/vmstat") as file:
            return next((int(line.split()[1]) for line in file if line.startswith("oom_kill ")), 0)
    except OSError:
        return 0


class State(NamedTuple):
    """What the driver says of a GPU at one moment."""

    sm_clock: str
    slowed_by: str
    """Bit mask of reasons for lower clocks: https://docs.nvidia.com/deploy/nvml-api (clocks event reasons)."""


_THROTTLES = {
    0x4: "power cap",
    0x8: "hardware slowdown",
    0x20: "heat",
    0x40: "heat",
    0x80: "power brake",
}


def state(device: str) -> State | None:
    """The device's state now; None on a CPU or where the driver does not say."""
    if not device.startswith("cuda"):
        return None
    first = _smi(device, "--query-gpu=clocks.sm,clocks_event_reasons.active")
    if first is None or "," not in first:
        return None
    clock, _, reasons = first.partition(", ")
    return State(clock, reasons)


def clocks_between(before: State | None, after: State | None) -> str | None:
    """Both SM clocks in words."""
    return f"{before.sm_clock} before, {after.sm_clock} after" if before and after else None


def disturbances(before: State | None, after: State | None) -> list[Finding]:
    """Notes on what slowed the device while it was judged on."""
    found = set()
    for each in (before, after):
        mask = int(each.slowed_by, 16) if each and each.slowed_by.startswith("0x") else 0
        found |= {name for bit, name in _THROTTLES.items() if mask & bit}
    return (
        [Finding(check="throttled", detail=f"the GPU lowered its clocks: {', '.join(sorted(found))}")] if found else []
    )


MOST_OTHERS, _IDLE = 0.5, 0.15
"""Of so many cores for other programs a race is crowded, where no larger share of all was left idle."""


class Crowd:
    """Who had the CPU cores given since this was made: we and the processes given, or other programs."""

    def __init__(self, pids: list[int], cores: Collection[int]) -> None:
        self.pids, self._cores = pids, cores
        self._began = self._seconds()

    def said(self) -> str:
        """How crowded it was, if other programs took half a core and hardly any core was left idle; else empty."""
        others, idle = self.others()
        if others < MOST_OTHERS or idle > _IDLE:
            return ""
        return f"other programs had {others:.1f} of {len(self._cores)} CPU cores during the race: no verdict"

    def others(self) -> tuple[float, float]:
        """How many cores other programs had, and the share of all that was left idle."""
        busy, idle, ours = (now - then for now, then in zip(self._seconds(), self._began, strict=True))
        wall = (busy + idle) / len(self._cores)
        return ((busy - ours) / wall, idle / (busy + idle)) if wall > 0 else (0.0, 1.0)

    def _seconds(self) -> tuple[float, float, float]:
        try:
            lines = dict(line.split(" ", 1) for line in Path("/proc/stat").read_text().splitlines())
            # user, nice, system, idle, iowait, irq, softirq, and what a hypervisor gave to others (proc_stat(5))
            each = [map(int, lines[f"cpu{core}"].split()[:8]) for core in self._cores]
            ticks = [sum(column) for column in zip(*each, strict=True)]
            ours = time.process_time() + sum(map(kin.cpu_s, self.pids))
        except (OSError, ValueError, KeyError):
            return 0.0, 0.0, 0.0
        idle, second = ticks[3] + ticks[4], os.sysconf("SC_CLK_TCK")
        return (sum(ticks) - idle) / second, idle / second, ours


def another(device: str) -> str | None:
    """Another GPU of the same name, if there is one."""
    if not device.startswith("cuda"):
        return None
    import torch

    others = (f"cuda:{index}" for index in range(torch.cuda.device_count()))
    return next((o for o in others if o != device and device_name(o) == device_name(device)), None)


@functools.cache
def _driver(device: str) -> str | None:
    return _smi(device, "--query-gpu=driver_version")


def _smi(device: str, query: str) -> str | None:
    command = ["nvidia-smi", query, "--format=csv,noheader", "-i", identity(device)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


def cpp_compiler() -> str:
    """The C++ compiler that torch would take."""
    return os.environ.get("CXX", "c++")


@functools.cache
def _compiler() -> str | None:
    try:
        done = subprocess.run([cpp_compiler(), "--version"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.partition("\n")[0] or None


@functools.cache
def _version(package: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
