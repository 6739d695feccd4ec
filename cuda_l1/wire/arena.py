"""Memory that the judge owns and lends to one worker: slots for inputs and outputs, on the CPU or on a GPU.

An arena is one block of memory behind a file descriptor, mapped on both sides: a memfd on a CPU, a virtual-memory
allocation of the driver on CUDA (no CUDA IPC handles, which fail across pid namespaces). Both ends see it as views:
`input(slot)[leaf]` and `output(slot)[leaf]`. The worker's mapping is writable, so the parent keeps its own copy of
every input and compares afterwards.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import functools
import mmap
import os
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple

import torch

from cuda_l1.wire.driver import driver

_ALIGN = 512
_KEPT_BYTES = 1 << 30


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
    def is_continuous(self) -> bool:
        """Whether it is of floating point or of complex numbers."""
        return self.torch_dtype.is_floating_point or self.torch_dtype.is_complex

    @property
    def nbytes(self) -> int:
        """Bytes from its first to its last element, gaps included."""
        if 0 in self.shape:
            return 0
        reach = sum((extent - 1) * step for extent, step in zip(self.shape, self.stride, strict=True))
        return (reach + 1) * self.torch_dtype.itemsize

    @property
    def is_dense(self) -> bool:
        """Whether its elements fill its memory, in whatever order of dimensions."""
        reach = 1
        for step, extent in sorted(zip(self.stride, self.shape, strict=True)):
            if extent != 1 and step != reach:
                return False
            reach *= extent
        return True

    def lies_as(self, other: Leaf) -> bool:
        """Whether its elements follow one another in memory as those of another leaf of that shape do."""
        pairs = zip(self.shape, self.stride, other.stride, strict=True)
        return all(extent < 2 or own == its for extent, own, its in pairs)

    def spread(self) -> Leaf:
        """The same tensor with a gap after every element: not contiguous in any order."""
        return self._replace(stride=tuple(2 * step for step in self.stride))

    def widened(self) -> Leaf:
        """The same in float64, or complex128; integers as they are."""
        kind = self.torch_dtype
        wide = "complex128" if kind.is_complex else "float64" if kind.is_floating_point else self.dtype
        return self._replace(dtype=wide)

    def view(self, block: torch.Tensor, offset: int) -> torch.Tensor:
        """Such a tensor over `block` (uint8), `offset` bytes in."""
        part = block[offset : offset + self.nbytes].view(self.torch_dtype)
        return part.as_strided(self.shape, self.stride, part.storage_offset())


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
    def input_slot_nbytes(self) -> int:
        """Bytes from one input slot to the next."""
        return _placed(self.inputs)[1]

    @property
    def output_slot_nbytes(self) -> int:
        """Bytes from one output slot to the next."""
        return _placed(self.outputs)[1]

    @property
    def input_nbytes(self) -> int:
        """Bytes of all input slots, which come first."""
        return self.input_slot_nbytes * self.input_slots

    @property
    def nbytes(self) -> int:
        """Bytes of the whole arena."""
        return self.input_nbytes + self.output_slot_nbytes * self.output_slots

    def columns(self, which: Literal["inputs", "outputs"] = "inputs") -> list[tuple[int, int, int]]:
        """Where the elements of each leaf lie in a slot: first byte, last byte + 1, bytes of one element."""
        leaves: tuple[Leaf, ...] = getattr(self, which)
        places = zip(leaves, _placed(leaves)[0], strict=True)
        return [(at, at + leaf.nbytes, kind.itemsize) for leaf, (kind, at) in places]


@functools.lru_cache(512)
def _placed(leaves: tuple[Leaf, ...]) -> tuple[list[tuple[torch.dtype, int]], int]:
    """By leaf its dtype and its first byte in a slot, and the bytes from one slot to the next. Once for all slots: this
    is asked between two timed calls."""
    places, offset = [], 0
    for leaf in leaves:
        places.append((leaf.torch_dtype, offset))
        offset += _aligned(leaf.nbytes)
    return places, offset


def give_back(device: str) -> None:
    """Let other processes have what a large call of this one has left in PyTorch's cache of GPU memory."""
    if device.startswith("cuda") and torch.cuda.memory_reserved(device) > _KEPT_BYTES:
        torch.cuda.empty_cache()


class Arena:
    """One end's view of an arena. Make it with `create` (parent) or `attach` (worker)."""

    def __init__(self, layout: Layout, block: torch.Tensor, fd: int | None = None, pointer: int = 0) -> None:
        self.layout = layout
        self.block = block
        self.fd = fd
        self._pointer = pointer
        self._typed: dict[torch.dtype, torch.Tensor] = {}

    def input(self, slot: int) -> list[torch.Tensor]:
        """The tensors of an input slot."""
        return self._views(self.layout.inputs, slot * self.layout.input_slot_nbytes)

    def output(self, slot: int) -> list[torch.Tensor]:
        """The tensors of an output slot."""
        return self._views(self.layout.outputs, self.layout.input_nbytes + slot * self.layout.output_slot_nbytes)

    def _views(self, leaves: tuple[Leaf, ...], offset: int) -> list[torch.Tensor]:
        views = []
        for leaf, (kind, at) in zip(leaves, _placed(leaves)[0], strict=True):
            if kind not in self._typed:  # one operation a tensor: this runs between two timed calls
                self._typed[kind] = self.block.view(kind)
            views.append(self._typed[kind].as_strided(leaf.shape, leaf.stride, (offset + at) // kind.itemsize))
        return views

    @property
    def rows(self) -> torch.Tensor:
        """All inputs, one row a slot, as words of eight bytes: byte by byte a GPU takes several times as long to copy
        and compare them."""
        words = self.block[: self.layout.input_nbytes].view(torch.int64)
        return words.view(self.layout.input_slots, self.layout.input_slot_nbytes // words.itemsize)

    @property
    def input_block(self) -> torch.Tensor:
        """All inputs as bytes."""
        return self.block[: self.layout.input_nbytes]

    def poison(self) -> None:
        """Fill all outputs with 0xFF: NaN for floats, so that what was not written shows."""
        self.block[self.layout.input_nbytes : self.layout.nbytes].fill_(0xFF)

    def laid(self, layout: Layout) -> Arena:
        """Another layout over the same memory, which must be large enough. It ends with this one."""
        assert layout.nbytes <= self.block.numel()
        return Arena(layout, self.block)

    @classmethod
    def create(cls, layout: Layout, device: str, nbytes: int) -> Arena:
        """Allocate in the parent: so many bytes, the layout's at least."""
        size = max(nbytes, layout.nbytes, _ALIGN)
        if device.startswith("cuda"):
            return cls._create_on_device(layout, device, size)
        with contextlib.ExitStack() as failed:
            fd = os.memfd_create("cuda-l1-arena", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
            failed.callback(os.close, fd)
            os.ftruncate(fd, size)
            # Cut to nothing from the other end, it would kill who looks.
            fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
            made = cls(layout, _map(fd, size), fd=fd)
            failed.pop_all()
        return made

    @classmethod
    def _create_on_device(cls, layout: Layout, device: str, size: int) -> Arena:
        torch.cuda.set_device(device)
        torch.cuda.synchronize(device)
        handle, wanted, exported = ctypes.c_uint64(), _allocation(device), ctypes.c_int()
        size = _padded(size, device)
        driver("cuMemCreate", ctypes.byref(handle), ctypes.c_size_t(size), ctypes.byref(wanted), ctypes.c_uint64(0))
        with contextlib.ExitStack() as failed, _released(handle):
            driver("cuMemExportToShareableHandle", ctypes.byref(exported), handle, _POSIX_FD, ctypes.c_uint64(0))
            failed.callback(os.close, exported.value)
            pointer = _map_device(handle, size, device)
            failed.callback(_unmap_device, pointer, size)
            made = cls(layout, _wrap(pointer, size, device), fd=exported.value, pointer=pointer)
            failed.pop_all()
        return made

    @classmethod
    def attach(cls, layout: Layout, device: str, fd: int, nbytes: int) -> Arena:
        """Map in the worker what the parent allocated."""
        size = max(nbytes, layout.nbytes, _ALIGN)
        with contextlib.ExitStack() as taken:
            taken.callback(os.close, fd)
            if not device.startswith("cuda"):
                # A page that this process never saw costs half a microsecond, and whose process is old has seen all.
                return cls(layout, _map(fd, size, mmap.MAP_POPULATE))
            torch.cuda.synchronize(device)
            handle, size = ctypes.c_uint64(), _padded(size, device)
            driver("cuMemImportFromShareableHandle", ctypes.byref(handle), ctypes.c_void_p(fd), _POSIX_FD)
            with _released(handle):
                return cls(layout, _wrap(_map_device(handle, size, device), size, device))

    def close(self) -> None:
        """Give the memory back. The views must not be used afterwards."""
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None
        self._typed = {}
        if self._pointer:
            device, size = str(self.block.device), self.block.numel()
            torch.cuda.synchronize(device)
            _unmap_device(self._pointer, size)
            self._pointer = 0


# The driver's virtual memory: https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html
_POSIX_FD, _PINNED, _ON_DEVICE, _READ_WRITE = 1, 1, 1, 3
_IS_LEGACY_IPC_CAPABLE = 10


class _Location(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int), ("id", ctypes.c_int))


class _Allocation(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("handle_types", ctypes.c_int),
        ("location", _Location),
        ("win32", ctypes.c_void_p),
        ("flags", ctypes.c_ubyte * 8),
    )


class _Access(ctypes.Structure):
    _fields_ = (("location", _Location), ("flags", ctypes.c_int))


def _allocation(device: str) -> _Allocation:
    return _Allocation(_PINNED, _POSIX_FD, _Location(_ON_DEVICE, torch.device(device).index or 0))


def _padded(size: int, device: str) -> int:
    step, wanted = ctypes.c_size_t(), _allocation(device)
    driver("cuMemGetAllocationGranularity", ctypes.byref(step), ctypes.byref(wanted), 0)
    return -(-size // step.value) * step.value


@contextlib.contextmanager
def _released(handle: ctypes.c_uint64) -> Iterator[None]:
    """Afterwards what is mapped keeps the memory, or nothing does."""
    try:
        yield
    finally:
        driver("cuMemRelease", handle)


def _map_device(handle: ctypes.c_uint64, size: int, device: str) -> int:
    pointer, none, nbytes = ctypes.c_uint64(), ctypes.c_uint64(0), ctypes.c_size_t(size)
    driver("cuMemAddressReserve", ctypes.byref(pointer), nbytes, ctypes.c_size_t(0), none, none)
    with contextlib.ExitStack() as failed:
        failed.callback(driver, "cuMemAddressFree", pointer, nbytes)
        driver("cuMemMap", pointer, nbytes, ctypes.c_size_t(0), handle, none)
        failed.callback(driver, "cuMemUnmap", pointer, nbytes)
        access = _Access(_Location(_ON_DEVICE, torch.device(device).index or 0), _READ_WRITE)
        driver("cuMemSetAccess", pointer, nbytes, ctypes.byref(access), ctypes.c_size_t(1))
        failed.pop_all()
    return pointer.value


def _unmap_device(pointer: int, size: int) -> None:
    for name in ("cuMemUnmap", "cuMemAddressFree"):
        driver(name, ctypes.c_uint64(pointer), ctypes.c_size_t(size))


def is_mapped(pointer: int) -> bool:
    """Whether a GPU's memory there was mapped page by page, as an arena is, and one page may be there many times; not
    allocated in one piece, as torch does, where the driver tells the two apart."""
    return tells_mapped() and not _is_in_one_piece(pointer)


@functools.cache
def tells_mapped() -> bool:
    """Whether the driver tells them apart here. First asked before anybody can have changed torch's allocator."""
    return _is_in_one_piece(torch.empty(1, device="cuda").data_ptr())


def _is_in_one_piece(pointer: int) -> bool:
    can_be_shared = ctypes.c_int()
    driver("cuPointerGetAttribute", ctypes.byref(can_be_shared), _IS_LEGACY_IPC_CAPABLE, ctypes.c_uint64(pointer))
    return bool(can_be_shared.value)


def _wrap(pointer: int, size: int, device: str) -> torch.Tensor:
    interface = {"shape": (size,), "typestr": "|u1", "data": (pointer, False), "version": 3}
    return torch.as_tensor(SimpleNamespace(__cuda_array_interface__=interface), device=device)


def _map(fd: int, size: int, more: int = 0) -> torch.Tensor:
    return torch.frombuffer(mmap.mmap(fd, size, flags=mmap.MAP_SHARED | more), dtype=torch.uint8)


def _aligned(nbytes: int) -> int:
    return -(-nbytes // _ALIGN) * _ALIGN
