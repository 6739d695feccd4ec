"""What one call of a module ran: device kernels, operators, C functions of extensions, flags.

`record` runs in the worker beside the candidate, which may patch all that it uses: a profile explains a result (see
`labels.py`) and decides nothing. `Profile.model_validate` is the parent's guard against what arrives in its place.

NOT covered: what an extension does inside one C function on a CPU, functions called through ctypes, and flags that
were set and put back within the call.
"""

from __future__ import annotations

import collections
import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

from cuda_l1.types import Record

_REGIONS = ("Torch-Compiled Region", "## Call CompiledFxGraph")
_COUNTED = frozenset({"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::conv2d"})
_KNOWN_ROOTS = frozenset({"torch", "numpy", "triton", "__triton_launcher", "pybind11_builtins"})


class Kernel(Record):
    """A kernel or copy on the device: its demangled name, how often it ran in the call, microseconds in all."""

    name: str
    count: int
    us: float


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


def record(module: Callable[..., Any], values: list[Any]) -> dict[str, Any]:
    """A `Profile` as plain JSON, from three calls of `module(*values)` on the device of its tensors.

    Raises what the module raises.
    """
    import torch
    from torch.autograd import profiler  # torch.profiler's own class first imports the compiler, for a second

    cuda = any(getattr(value, "is_cuda", False) for value in values)

    def call() -> None:
        with torch.no_grad():
            module(*values)
        if cuda:
            torch.cuda.synchronize()

    call()
    used = "cuda" if cuda else None
    with _quiet(), profiler.profile(use_kineto=True, use_device=used, record_shapes=True, with_flops=True) as seen:
        call()
    found = _sorted_out(list(seen.function_events or []))
    found["functions"] = _functions(call)
    found["flags"] = _flags()
    return found


def _sorted_out(events: list[Any]) -> dict[str, Any]:
    from torch._C._autograd import DeviceType

    host = [event for event in events if event.device_type == DeviceType.CPU]
    names = collections.Counter(str(event.name) for event in host)
    kernels: dict[str, list[float]] = {}
    for event in events:
        # An annotation of the host stands on the device's timeline too, under the same name.
        if event.device_type != DeviceType.CPU and event.name not in names:
            kernels.setdefault(str(event.name), []).append(float(event.time_range.elapsed_us()))
    dtypes = {str(kind) for event in host for kind in (getattr(event, "input_dtypes", None) or [])}
    return {
        "kernels": [{"name": name, "count": len(us), "us": sum(us)} for name, us in kernels.items()],
        "operators": {name: count for name, count in names.items() if "::" in name and " " not in name},
        "dtypes": sorted(dtypes - {"", "Scalar", "ScalarList"}),
        "graph": any(name in names for name in ("cudaGraphLaunch", "cuGraphLaunch")),
        "compiled": any(name.startswith(_REGIONS) for name in names),
        "flops": sum(int(event.flops or 0) for event in host if event.name in _COUNTED),
    }


def _functions(call: Callable[[], None]) -> dict[str, int]:
    """C functions of neither Python nor torch that the call entered."""
    counts: collections.Counter[str] = collections.Counter()

    def on_event(frame: Any, event: str, function: Any) -> None:
        if event == "c_call" and (home := getattr(function, "__module__", None)):
            counts[f"{home}.{function.__name__}"] += 1

    before = sys.getprofile()
    sys.setprofile(on_event)
    try:
        call()
    finally:
        sys.setprofile(before)
    known = _KNOWN_ROOTS | sys.stdlib_module_names
    return {name: count for name, count in counts.items() if name.partition(".")[0] not in known}


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
