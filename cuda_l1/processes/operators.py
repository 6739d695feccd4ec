"""Which code stands behind the operators of torch that the judge's loop in a process calls.

A library for `aten` (`torch.library`, `TORCH_LIBRARY_IMPL`) puts a candidate's own code there: it would compute where
inputs are taken up or outputs delivered, and be told apart from the judge's by nothing that the parent sees.

NOT covered: native code that says it was registered where torch's is, and what is put there and taken off again within
a call.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

_OURS = (
    "as_strided", "bitwise_xor_.Tensor", "clone", "copy_", "detach", "empty.memory_format", "empty_like",
    "empty_strided", "fill_.Scalar", "random_.from", "resize_", "select.int", "slice.Tensor", "view", "view.dtype",
    "zero_", "zeros", "zeros_like",
)  # fmt: skip


def registered() -> dict[str, str]:
    """By operator all kernels that may run for it, and where each was registered. Runs in the process that is asked."""
    return {name: torch._C._dispatch_dump_table(f"aten::{name}") for name in _OURS}


def changed(its: Mapping[str, Any], usual: Mapping[str, str]) -> str:
    """The first operator behind which stand other kernels than in the reference's process, and these; empty where none
    is."""
    its_own = f"registered at {Path(torch.__file__).parent}{os.sep}"  # of parts that are loaded when somebody asks
    for name, kernels in usual.items():
        if its.get(name) == kernels:
            continue
        lines = [line for line in str(its.get(name)).splitlines() if its_own not in line]
        others = [line for line in lines if line not in kernels.splitlines()]
        if others:
            return f"aten::{name.partition('.')[0]}: {others[0][:200]}"
    return ""
