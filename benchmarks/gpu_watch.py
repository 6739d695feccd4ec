"""How busy the GPU is while a pipeline runs, seen from outside: the driver's counter, and who holds the judge's lease.

Sampled in a thread. NOT covered: what is done while busy, and other users of the GPU, whose work counts too.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import threading
from pathlib import Path
from typing import Any

from cuda_l1.machine import lease

_EVERY_S = 0.1


class GpuWatch:
    """A context manager; afterwards `seen()` gives shares of the time."""

    def __init__(self, index: int = 0) -> None:
        self._index = index
        self._busy: list[float] = []
        self._leased: list[bool] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> GpuWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def seen(self) -> dict[str, float | None]:
        """`gpu_idle`: share of the time without a kernel, as the driver counts it; `lease_idle`: share of the samples
        in which nobody held the judge's lease. None for what this machine does not tell."""
        return {
            "gpu_idle": 1 - statistics.fmean(self._busy) / 100 if self._busy else None,
            "lease_idle": 1 - statistics.fmean(self._leased) if self._leased else None,
        }

    def _watch(self) -> None:
        utilization = self._counter()
        held_by = lease.path(f"cuda:{self._index}")
        while not self._over.wait(_EVERY_S):
            if utilization is not None:
                self._busy.append(utilization())
            held = is_locked(held_by)
            if held is not None:
                self._leased.append(held)

    def _counter(self) -> Any:
        with contextlib.suppress(Exception):  # no driver, or no nvidia-ml-py
            import pynvml

            pynvml.nvmlInit()
            handle = pynvml.nvmlDeviceGetHandleByIndex(self._index)
            pynvml.nvmlDeviceGetUtilizationRates(handle)
            return lambda: float(pynvml.nvmlDeviceGetUtilizationRates(handle).gpu)
        return None


def is_locked(path: Path) -> bool | None:
    """Whether a process holds a lock on the file, as the kernel lists it; None where it lists nothing."""
    try:
        node = os.stat(path).st_ino
        lines = Path("/proc/locks").read_text().splitlines()
    except OSError:
        return None
    return any("->" not in line and line.split()[5].endswith(f":{node}") for line in lines)
