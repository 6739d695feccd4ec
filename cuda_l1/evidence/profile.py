"""What one call of a module ran: device kernels, operators, C functions of extensions, flags.

`record` runs in the worker beside the candidate, which may patch all that it uses: a profile explains a result (see
`labels.py`) and decides nothing. `Profile.model_validate` is the parent's guard against what arrives in its place.

NOT covered: what an extension does inside one C function on a CPU, functions called through ctypes, flags that were set
and put back within the call, bytes that a kernel moves (what needs counters needs root), and spills of nvcc's kernels.
"""

from __future__ import annotations

import collections
import contextlib
import gc
import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pydantic import Field

from cuda_l1.types import Count, Kernel, Quantity, Record

_TRITON_KERNELS = frozenset({"CompiledKernel", "StaticallyLaunchedCudaKernel"})
"""Triton's class, and the one that torch.compile launches its own through."""
_REGIONS = ("Torch-Compiled Region", "## Call CompiledFxGraph")
_COUNTED = frozenset({"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::conv2d"})
_C_EVENTS = frozenset({"c_call", "c_return", "c_exception"})
_ITEM_BYTES = {
    "double": 8, "float": 4, "c10::Half": 2, "c10::BFloat16": 2, "long int": 8, "int": 4, "short int": 2,
    "signed char": 1, "unsigned char": 1, "bool": 1, "c10::complex<float>": 8, "c10::complex<double>": 16,
}  # fmt: skip
"""By the profiler's names of element types."""
_KNOWN_ROOTS = frozenset({"torch", "numpy", "triton", "__triton_launcher", "pybind11_builtins"})


class Profile(Record):
    """One call of a module."""

    kernels: tuple[Kernel, ...]
    """Empty on a CPU."""
    operators: dict[str, int]
    """Operators that the dispatcher saw, `namespace::name`, nested ones too, with their counts."""
    dtypes: tuple[str, ...]
    """C++ names of the types of the operators' inputs, e.g. `float`, `c10::Half`."""
    functions: dict[str, int]
    """C functions called from Python that belong neither to Python nor to torch: `module.name`."""
    graph: bool
    """A CUDA graph was launched."""
    compiled: bool
    """A region compiled by torch.compile ran."""
    flags: dict[str, str]
    """Global settings after the call."""
    flops: int
    """Of matrix products and 2-d convolutions among the operators."""
    operator_us: dict[str, Quantity] = Field(default_factory=dict)
    """Microseconds that each operator's own code took on the host."""
    operator_bytes: dict[str, Count] = Field(default_factory=dict)
    """Of the tensors that each operator was given, over all its calls."""
    function_us: dict[str, Quantity] = Field(default_factory=dict)
    """Microseconds in each of `functions`, with Python's own profiler running."""


def record(module: Callable[..., Any], values: list[Any]) -> dict[str, Any]:
    """A `Profile` as plain JSON, from three calls of `module(*values)` on the device of its tensors.

    Raises what the module raises.
    """
    import torch
    from torch.autograd import profiler  # torch.profiler's own class first imports the compiler, for a second

    is_cuda = any(getattr(value, "is_cuda", False) for value in values)

    def call() -> None:
        with torch.no_grad():
            module(*values)
        if is_cuda:
            torch.cuda.synchronize()

    call()
    used = "cuda" if is_cuda else None
    with _quiet(), profiler.profile(use_kineto=True, use_device=used, record_shapes=True, with_flops=True) as seen:
        call()
    found = _sorted_out(list(seen.function_events or []))
    spilled = _local_bytes(gc.get_objects() if "triton" in sys.modules else [])
    for kernel in found["kernels"]:
        kernel |= {"local_bytes": spilled[kernel["name"]]} if kernel["name"] in spilled else {}
    found |= _functions(call)
    found["flags"] = _flags()
    return found


def _sorted_out(events: list[Any]) -> dict[str, Any]:
    from torch._C._autograd import DeviceType

    host = [event for event in events if event.device_type == DeviceType.CPU]
    names = collections.Counter(str(event.name) for event in host)
    # An annotation of the host stands on the device's timeline too, under the same name.
    device = [event for event in events if event.device_type != DeviceType.CPU and event.name not in names]
    dtypes = {str(kind) for event in host for kind in (getattr(event, "input_dtypes", None) or [])}
    operators = {name: count for name, count in names.items() if "::" in name and " " not in name}
    times: dict[str, float] = dict.fromkeys(operators, 0.0)
    given: collections.Counter[str] = collections.Counter()
    for event in host:
        if event.name in operators:
            times[event.name] += max(float(event.self_cpu_time_total), 0.0)
            given[event.name] += _given_bytes(event)
    return {
        "kernels": _kernels(device, host),
        "operators": operators,
        "operator_us": times,
        "operator_bytes": dict(given),
        "dtypes": sorted(dtypes - {"", "Scalar", "ScalarList"}),
        "graph": any(name in names for name in ("cudaGraphLaunch", "cuGraphLaunch")),
        "compiled": any(name.startswith(_REGIONS) for name in names),
        "flops": sum(int(event.flops or 0) for event in host if event.name in _COUNTED),
    }


def _kernels(device: list[Any], host: list[Any]) -> list[dict[str, Any]]:
    """One `types.Kernel` a name, as plain JSON. What the profiler does not say is left out.

    Registers, occupancy and the bytes of copies are in CUPTI's records, which need no root; torch hands them on as
    `event_metadata` (`torch/autograd/profiler_util.py`, since 2.13). The widest of several launches counts.
    """
    given: collections.Counter[str] = collections.Counter()
    for event in host:
        given.update({str(kernel.name): _given_bytes(event) for kernel in event.kernels})
    found: dict[str, dict[str, Any]] = {}
    for event in device:
        name = str(event.name)
        one = found.setdefault(name, {"name": name, "count": 0, "us": 0.0})
        one["count"] += 1
        one["us"] += float(event.time_range.elapsed_us())
        said = getattr(event, "event_metadata", None)
        if said is not None and said.registers_per_thread is not None:
            one["registers"] = max(said.registers_per_thread, one.get("registers", 0))
        if said is not None and said.est_occupancy_pct is not None:
            one["occupancy"] = min(said.est_occupancy_pct / 100, one.get("occupancy", 1.0))
        moved = said.bytes if said is not None and said.bytes is not None else 0
        if moved or given[name]:
            one["bytes"] = one.get("bytes", given[name]) + moved
    return list(found.values())


def _local_bytes(objects: Iterable[Any]) -> dict[str, int]:
    """Of the compiled Triton kernels among the objects, by name. Loaded ones know it, in registers of four bytes
    (`n_spills` in triton/backends/nvidia/driver.c); the widest variant of a name counts."""
    found: dict[str, int] = {}
    for one in objects:
        if type(one).__name__ in _TRITON_KERNELS and isinstance(spills := getattr(one, "n_spills", None), int):
            found[str(one.name)] = max(4 * spills, found.get(str(one.name), 0))
    return found


def _given_bytes(event: Any) -> int:
    """Of the tensors among an operator's arguments; those in lists are not counted: their types are not said."""
    shapes, kinds = event.input_shapes or [], getattr(event, "input_dtypes", None) or []
    return sum(
        math.prod(shape) * _ITEM_BYTES[kind] for shape, kind in zip(shapes, kinds, strict=False) if kind in _ITEM_BYTES
    )


def _functions(call: Callable[[], None]) -> dict[str, dict[str, Any]]:
    """C functions of neither Python nor torch that the call entered, and the microseconds in each."""
    counts: collections.Counter[str] = collections.Counter()
    times: collections.Counter[str] = collections.Counter()
    entered: list[int] = []

    def on_event(frame: Any, event: str, function: Any) -> None:
        if event not in _C_EVENTS:
            return
        name = f"{getattr(function, '__module__', None)}.{function.__name__}"
        if event == "c_call":
            counts[name] += 1
            entered.append(time.perf_counter_ns())
        elif entered:
            times[name] += time.perf_counter_ns() - entered.pop()

    before = sys.getprofile()
    sys.setprofile(on_event)
    try:
        call()
    finally:
        sys.setprofile(before)
    known = _KNOWN_ROOTS | sys.stdlib_module_names | {"None"}
    own = {name: count for name, count in counts.items() if name.partition(".")[0] not in known}
    return {"functions": own, "function_us": {name: times[name] / 1e3 for name in own}}


def _flags() -> dict[str, str]:
    import torch

    reads: dict[str, Callable[[], Any]] = {
        "matmul.allow_tf32": lambda: torch.backends.cuda.matmul.allow_tf32,
        "matmul.fp16_reduction": lambda: torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction,
        "matmul.bf16_reduction": lambda: torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction,
        "cudnn.allow_tf32": lambda: torch.backends.cudnn.allow_tf32,
        "cudnn.benchmark": lambda: torch.backends.cudnn.benchmark,
        "cudnn.deterministic": lambda: torch.backends.cudnn.deterministic,
        "cudnn.enabled": lambda: torch.backends.cudnn.enabled,
        "float32_matmul_precision": torch.get_float32_matmul_precision,
        "mkldnn.matmul": lambda: torch.backends.mkldnn.matmul.fp32_precision,  # type: ignore[attr-defined]
        "default_dtype": torch.get_default_dtype,
        "num_threads": torch.get_num_threads,
        "deterministic": torch.are_deterministic_algorithms_enabled,
    }
    flags = {}
    for name, read in reads.items():
        try:
            flags[name] = str(read())
        except RuntimeError:  # the old and the new names of the TF32 switches were mixed: torch refuses to read
            flags[name] = "set through both interfaces"
    return flags


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep the profiler's own lines (one at its start, one at its end) out of the candidate's log."""
    kept, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(null)
