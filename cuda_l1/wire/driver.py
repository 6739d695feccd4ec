"""Calls of the CUDA driver, which keeps one soname over all CUDA versions: https://docs.nvidia.com/cuda/cuda-driver-api.

They work in the context that torch made current.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import torch

_NO_MEMORY = 2


def driver(name: str, *arguments: Any) -> None:
    """Call that function; torch.OutOfMemoryError or RuntimeError where it answers with an error."""
    if code := getattr(_library(), name)(*arguments):
        kind = torch.OutOfMemoryError if code == _NO_MEMORY else RuntimeError
        raise kind(f"{name} answered CUDA driver error {code}")


@functools.cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL("libcuda.so.1")
