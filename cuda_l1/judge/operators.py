"""Which code stands behind the operators of torch that the judge's loop in a process calls.

A library for `aten` (`torch.library`, `TORCH_LIBRARY_IMPL`) puts a candidate's own code there: it would compute where
inputs are taken up or outputs delivered, and be told apart from the judge's by nothing that the parent sees.

NOT covered: native code that says it was registered where torch's is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_OURS = (
    "bitwise_xor_.Tensor", "clone", "copy_", "empty.memory_format", "empty_strided", "fill_.Scalar", "random_.from",
    "select.int", "view", "view.dtype", "zero_", "zeros",
)  # fmt: skip


def registered() -> dict[str, str]:
    """By operator all kernels that may run for it, and where each was registered. Runs in the process that is asked."""
    import torch

    return {name: torch._C._dispatch_dump_table(f"aten::{name}") for name in _OURS}


def changed(its: Mapping[str, Any], eagers: Mapping[str, str]) -> str:
    """The first operator behind which stand other kernels than in eager's process, and these; empty where none is."""
    for name, kernels in eagers.items():
        others = [line for line in str(its.get(name)).splitlines() if line not in kernels.splitlines()]
        if others:
            return f"aten::{name.partition('.')[0]}: {others[0][:200]}"
    return ""
