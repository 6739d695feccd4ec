"""Memory that the judge owns and lends to one worker: slots for inputs and outputs, on the CPU or on a GPU.

On a CPU an arena is a memfd, mapped on both sides. On CUDA it is one plain allocation of the parent, opened in the
worker by its CUDA IPC handle (legacy IPC: both processes must live in one pid namespace). Both ends see it as views:
`inputs[slot][leaf]` and `outputs[slot][leaf]`. The worker's mapping is writable, so the parent keeps its own copy of
every input and compares afterwards.
"""

from __future__ import annotations

import ctypes
import math
import mmap
import os
from types import SimpleNamespace
from typing import Any, NamedTuple

import torch

_ALIGN = 512
_IPC_HANDLE_BYTES = 64


class Leaf(NamedTuple):
    """Shape, element strides and dtype name of one tensor."""

    shape: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: str

    @classmethod
    def of(cls, tensor: torch.Tensor) -> Leaf:
        """The leaf that holds `tensor`: its own strides where they are dense, row-major ones where not."""
        dense = torch.empty_like(tensor, device="meta")  # keeps strides if and only if they are dense
        return cls(tuple(tensor.shape), tuple(dense.stride()), str(tensor.dtype).removeprefix("torch."))

    @classmethod
    def parse(cls, raw: list[Any]) -> Leaf:
        """The leaf from its JSON form."""
        return cls(tuple(raw[0]), tuple(raw[1]), str(raw[2]))

    @property
    def torch_dtype(self) -> torch.dtype:
        """The dtype itself."""
        dtype = getattr(torch, self.dtype)
        assert isinstance(dtype, torch.dtype)
        return dtype

    @property
    def nbytes(self) -> int:
        """Bytes of one such tensor."""
        return math.prod(self.shape) * self.torch_dtype.itemsize


class Layout(NamedTuple):
    """How many slots of which leaves."""

    inputs: tuple[Leaf, ...]
    outputs: tuple[Leaf, ...]
    input_slots: int
    output_slots: int

    @classmethod
    def parse(cls, raw: list[Any]) -> Layout:
        """The layout from its JSON form."""
        return cls(tuple(map(Leaf.parse, raw[0])), tuple(map(Leaf.parse, raw[1])), int(raw[2]), int(raw[3]))

    @property
    def nbytes(self) -> int:
        """Bytes of the whole arena."""
        return sum(_aligned(leaf.nbytes) for leaf in self._sequence())

    @property
    def input_nbytes(self) -> int:
        """Bytes of all input slots, which come first."""
        return sum(_aligned(leaf.nbytes) for leaf in self.inputs) * self.input_slots

    def _sequence(self) -> list[Leaf]:
        return [*self.inputs * self.input_slots, *self.outputs * self.output_slots]

    def views(self, block: torch.Tensor) -> tuple[list[list[torch.Tensor]], list[list[torch.Tensor]]]:
        """Tensors over `block` (uint8): inputs[slot][leaf] and outputs[slot][leaf]."""
        offset, tensors = 0, []
        for leaf in self._sequence():
            part = block[offset : offset + leaf.nbytes].view(leaf.torch_dtype)
            tensors.append(part.as_strided(leaf.shape, leaf.stride, part.storage_offset()))
            offset += _aligned(leaf.nbytes)
        each_in, each_out = len(self.inputs), len(self.outputs)
        split = each_in * self.input_slots
        return (
            [tensors[i * each_in : (i + 1) * each_in] for i in range(self.input_slots)],
            [tensors[split + i * each_out : split + (i + 1) * each_out] for i in range(self.output_slots)],
        )


class Arena:
    """One end's view of an arena. Make it with `create` (parent) or `attach` (worker)."""

    def __init__(self, layout: Layout, block: torch.Tensor, fd: int | None = None, pointer: int = 0) -> None:
        self.layout = layout
        self.block = block
        self.fd = fd
        self._pointer = pointer
        self.inputs, self.outputs = layout.views(block)

    @property
    def input_block(self) -> torch.Tensor:
        """All inputs as bytes."""
        return self.block[: self.layout.input_nbytes]

    def poison(self) -> None:
        """Fill all outputs with 0xFF: NaN for floats, so that what was not written shows."""
        self.block[self.layout.input_nbytes :].fill_(0xFF)

    @classmethod
    def create(cls, layout: Layout, device: str) -> Arena:
        """Allocate in the parent."""
        size = max(layout.nbytes, _ALIGN)
        if not device.startswith("cuda"):
            fd = os.memfd_create("cuda-l1-arena", os.MFD_CLOEXEC)
            os.ftruncate(fd, size)
            return cls(layout, _map(fd, size), fd=fd)
        torch.cuda.set_device(device)
        torch.cuda.synchronize(device)
        pointer = ctypes.c_uint64()
        _driver("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
        return cls(layout, _wrap(pointer.value, size, device), pointer=pointer.value)

    @classmethod
    def attach(cls, layout: Layout, device: str, fd: int | None, handle: str | None) -> Arena:
        """Map in the worker what the parent allocated."""
        size = max(layout.nbytes, _ALIGN)
        if handle is None:
            assert fd is not None
            block = _map(fd, size)
            os.close(fd)
            return cls(layout, block)
        torch.cuda.synchronize(device)
        pointer = ctypes.c_uint64()
        raw = (ctypes.c_char * _IPC_HANDLE_BYTES).from_buffer_copy(bytes.fromhex(handle))
        _driver("cuIpcOpenMemHandle_v2", ctypes.byref(pointer), _IpcHandle(raw), ctypes.c_uint(1))
        return cls(layout, _wrap(pointer.value, size, device))

    @property
    def handle(self) -> str | None:
        """The CUDA IPC handle in hex; None on a CPU, where the descriptor is sent instead."""
        if not self._pointer:
            return None
        handle = _IpcHandle()
        _driver("cuIpcGetMemHandle", ctypes.byref(handle), ctypes.c_uint64(self._pointer))
        return bytes(handle.reserved).hex()

    def close(self) -> None:
        """Give the memory back. The views must not be used afterwards."""
        self.inputs, self.outputs = [], []
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None
        if self._pointer:
            torch.cuda.synchronize(self.block.device)
            _driver("cuMemFree_v2", ctypes.c_uint64(self._pointer))
            self._pointer = 0


class _IpcHandle(ctypes.Structure):
    # CUipcMemHandle, passed by value: https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
    _fields_ = (("reserved", ctypes.c_ubyte * _IPC_HANDLE_BYTES),)

    def __init__(self, raw: ctypes.Array[ctypes.c_char] | None = None) -> None:
        super().__init__()
        if raw is not None:
            ctypes.memmove(self.reserved, raw, _IPC_HANDLE_BYTES)


def _driver(name: str, *arguments: Any) -> None:
    # The driver API keeps one soname over all CUDA versions, and works in the context that torch made current.
    code = getattr(ctypes.CDLL("libcuda.so.1"), name)(*arguments)
    if code:
        raise RuntimeError(f"{name} answered CUDA driver error {code}")


def _wrap(pointer: int, size: int, device: str) -> torch.Tensor:
    interface = {"shape": (size,), "typestr": "|u1", "data": (pointer, False), "version": 3}
    return torch.as_tensor(SimpleNamespace(__cuda_array_interface__=interface), device=device)


def _map(fd: int, size: int) -> torch.Tensor:
    return torch.frombuffer(mmap.mmap(fd, size), dtype=torch.uint8)


def _aligned(nbytes: int) -> int:
    return -(-nbytes // _ALIGN) * _ALIGN
