"""What this machine can do at best, and so how long a task takes at least.

`ceilings` measures bandwidth and matrix products in about a second and remembers them for the machine, the torch
version and the number of threads. `floor_us` and `fraction` are for display; `byte_floor_us` is a bound that no honest
candidate can break, behind the finding `byte_floor`.

NOT covered: peaks of formats that the machine has and torch's plain matmul does not use (fp8, int8, sparsity).
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import platformdirs
import torch
from pydantic import ValidationError

from cuda_l1.evidence.work import Work
from cuda_l1.machine.environment import device_name, host_free_nbytes
from cuda_l1.types import Precision, Record, digest
from cuda_l1.wire.seal import l2_nbytes

MARGIN = 1.1
"""A memory may be this much faster than the best of copy, read and fill that was measured."""
COLD_CACHES = 4
"""Inputs that rotate through this many times the last cache are cold in at least three calls of four."""
_REPEATS = 5
_UNITS = {"K": 10, "M": 20, "G": 30}
_SLOWEST_PRODUCT_S = 0.3


class Ceilings(Record):
    """The best that was measured on a device."""

    device: str
    bytes_per_s: float
    """The fastest of a copy (read and write counted), a sum (read) and a fill (write)."""
    flops_per_s: dict[str, float]
    """Large square matrix products, by precision: fp32, on CUDA also tf32, bf16, fp16."""
    cache_bytes: int
    """The last cache: L2 on CUDA, those of all cores together on a CPU."""


class Floor(NamedTuple):
    """Microseconds that a call takes at least: to move its bytes, and to do its operations."""

    byte_us: float
    operation_us: float


def ceilings(device: str, *, again: bool = False) -> Ceilings:
    """What `device` (cpu or cuda:N) can do; measured once, then remembered. The fastest measurement is kept.

    `again` measures once more: a machine that was busy the first time looks slower than it is.
    """
    path = _path(device)
    known = _read(path)
    if known is not None and not again:
        return known
    best = _faster(known, _measure(device))
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        file.write(best.model_dump_json())
    os.replace(file.name, path)
    return best


def floor_us(work: Work, known: Ceilings, precision: Precision) -> Floor:
    """The roofline of a task for display: all bytes of inputs, weights and outputs once, all operations at full speed.

    `default` counts convolutions at TF32's speed where there is one, as cuDNN may use it. A precision without a
    measured ceiling gives 0. Neither part is proof: weights and small inputs can lie in a cache, and algebra can save
    operations.
    """
    moved = work.input_bytes + work.weight_bytes + work.output_bytes
    seconds = 0.0
    for kind, count in work.flops.items():
        name = precision if precision != "default" else "tf32" if kind == "convolution" else "fp32"
        speed = known.flops_per_s.get(name) or (known.flops_per_s.get("fp32") if precision == "default" else None)
        seconds += count / speed if speed else 0.0
    return Floor(moved / known.bytes_per_s * 1e6, seconds * 1e6)


def fraction(floor: Floor, time_us: float) -> float:
    """How near a time comes to its roofline: 1 is on it. Above 1 it used a cache, or did less than the reference."""
    return max(floor) / time_us


def byte_floor_us(dependent_bytes: int | None, output_bytes: int, rotating_bytes: int, known: Ceilings) -> float:
    """Microseconds that a right candidate takes at the least to move what it must move through the memory.

    Counted: input bytes on which the output depends (`work.dependent`; None counts 0), less the share that a cache may
    hold of all `rotating_bytes`, and nothing at all where those are less than four caches: then a typical call may find
    its input in the cache. Of the output, what is beyond the cache: the rest may still lie there when the call ends.
    Left out: weights, which may stay in the cache from call to call; inputs where the derivative vanishes; everything
    in between. All at MARGIN times the bandwidth measured.
    """
    cold = 0.0
    if dependent_bytes and rotating_bytes >= COLD_CACHES * known.cache_bytes:
        cold = dependent_bytes * (1 - known.cache_bytes / rotating_bytes)
    written = max(output_bytes - known.cache_bytes, 0)
    return (cold + written) / (MARGIN * known.bytes_per_s) * 1e6


# Measuring.


def _path(device: str) -> Path:
    name = digest(device_name(device), torch.__version__, str(torch.get_num_threads()))
    return Path(platformdirs.user_cache_dir("cuda-l1")) / "ceilings" / f"{name}.json"


def _read(path: Path) -> Ceilings | None:
    try:
        return Ceilings.model_validate(json.loads(path.read_text()))
    except (OSError, ValueError, ValidationError):
        return None


def _faster(one: Ceilings | None, two: Ceilings) -> Ceilings:
    if one is None:
        return two
    speeds = {name: max(speed, one.flops_per_s.get(name, 0.0)) for name, speed in two.flops_per_s.items()}
    return two.model_copy(update={"bytes_per_s": max(one.bytes_per_s, two.bytes_per_s), "flops_per_s": speeds})


def _measure(device: str) -> Ceilings:
    is_cuda = device.startswith("cuda")
    cache = l2_nbytes(device) if is_cuda else _host_cache()
    found = Ceilings(
        device=device_name(device),
        bytes_per_s=_bandwidth(device, cache),
        flops_per_s={
            name: _product(device, name) for name in (("fp32", "tf32", "bf16", "fp16") if is_cuda else ("fp32",))
        },
        cache_bytes=cache,
    )
    if is_cuda:
        torch.cuda.empty_cache()
    return found


def _bandwidth(device: str, cache: int) -> float:
    is_cuda = device.startswith("cuda")
    room = torch.cuda.mem_get_info(device)[0] if is_cuda else host_free_nbytes()
    wanted = 2 << 30 if is_cuda else min(max(8 * cache, 256 << 20), 1 << 30)  # what stays in a cache must not count
    size = min(wanted, room // 8) // 4 * 4
    one = torch.ones(size // 4, device=device)
    two = torch.empty_like(one)
    return max(
        2 * size / _best_s(lambda: two.copy_(one), device),
        size / _best_s(lambda: one.sum(), device),
        size / _best_s(lambda: two.fill_(1.0), device),
    )


def _product(device: str, precision: str) -> float:
    """Floating-point operations a second of a large square product, in the precision named."""
    kind = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(precision, torch.float32)
    size = 8192 if device.startswith("cuda") else 1024
    one, two = torch.randn(2, size, size, device=device, dtype=kind)
    out = torch.empty_like(one)
    with _tf32(precision == "tf32"):
        return 2 * size**3 / _best_s(lambda: torch.mm(one, two, out=out), device)


@contextlib.contextmanager
def _tf32(allowed: bool) -> Iterator[None]:
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = allowed
    try:
        yield
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before


def _best_s(call: Callable[[], object], device: str) -> float:
    """Seconds of the fastest of a few calls, each waited for."""
    call()
    best = float("inf")
    for _ in range(_REPEATS):
        _synchronize(device)
        start = time.perf_counter()
        call()
        _synchronize(device)
        best = min(best, time.perf_counter() - start)
        if best > _SLOWEST_PRODUCT_S:
            break
    return best


def _synchronize(device: str) -> None:
    if device.startswith("cuda"):
        torch.cuda.synchronize(device)


def _host_cache() -> int:
    """Bytes of all last caches of all cores together; 32 MiB where the system does not say."""
    levels: dict[int, dict[str, int]] = {}
    for index in Path("/sys/devices/system/cpu").glob("cpu[0-9]*/cache/index*"):
        with contextlib.suppress(OSError, ValueError):
            level, size, cores = ((index / name).read_text().strip() for name in ("level", "size", "shared_cpu_list"))
            levels.setdefault(int(level), {})[cores] = int(size.rstrip("KMG")) << _UNITS.get(size[-1:], 0)
    return sum(levels[max(levels)].values()) if levels else 32 << 20
