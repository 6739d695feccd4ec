"""A worker's own memory, as the parent reads it and writes to it.

On a CPU that is the process's memory by /proc. On a GPU one process maps what another allocated by a handle of the
driver's (https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html, cuIpcOpenMemHandle). A worker may make
such handles and open none (see seccomp), and the parent opens its own worker's alone.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import mmap
import os
import sys
from collections.abc import Sequence
from typing import NamedTuple

import torch

from cuda_l1.wire.driver import driver

HANDLE_BYTES = 64
_OF_PROCESS = (*range(16), *range(48, 52))
"""Bytes of a handle that are the same in all of one process, as the drivers of 2024 to 2026 make them: an identity, the
process's number, and the driver's name for it. Only those that do not vary in a process are compared."""
_STAGED = 1 << 16
"""Bytes from locked memory are written by a copy engine if they are so many; of fewer the next kernel of another
process is late by 0.15 to 0.27 ms (H100)."""


class Place(NamedTuple):
    """Where something lies in a process."""

    handle: bytes
    """On a GPU, of the allocation; else empty."""
    at: int
    """Bytes from the beginning of that, or an address."""


def place(pointer: int) -> Place:
    """Worker: where an address of a GPU's lies; RuntimeError where that memory cannot be shown."""
    begins, nbytes, handle = ctypes.c_uint64(), ctypes.c_size_t(), ctypes.create_string_buffer(HANDLE_BYTES)
    driver("cuMemGetAddressRange_v2", ctypes.byref(begins), ctypes.byref(nbytes), ctypes.c_uint64(pointer))
    driver("cuIpcGetMemHandle", handle, begins)
    return Place(handle.raw, pointer - begins.value)


def shown(kept: torch.Tensor) -> list[str]:
    """Worker: two handles of this process, of that tensor's memory and of another, in hexadecimals; none where its
    memory cannot be shown. Asked before any candidate's code is there."""
    other = ctypes.c_uint64()
    try:
        first = place(kept.data_ptr()).handle
        driver("cuMemAlloc_v2", ctypes.byref(other), ctypes.c_size_t(8 << 20))
        try:
            return [first.hex(), place(other.value).handle.hex()]
        finally:
            driver("cuMemFree_v2", other)
    except RuntimeError:
        return []


class HostMemory:
    """That of a process on a CPU. OSError where this system lets nobody read it."""

    def __init__(self, pid: int) -> None:
        self._file = os.open(f"/proc/{pid}/mem", os.O_RDWR | os.O_CLOEXEC)
        self._pages: int | None = None
        with contextlib.suppress(OSError):  # where nobody tells pages, the rest is asked all the same
            self._pages = os.open(f"/proc/{pid}/pagemap", os.O_RDONLY | os.O_CLOEXEC) if _tells_pages() else None

    def read(self, place: Place, nbytes: int) -> bytes:
        """So many bytes; none where they are not there."""
        with contextlib.suppress(OSError):
            was = os.pread(self._file, nbytes, place.at) if 0 < place.at < 1 << 62 else b""
            return was if len(was) == nbytes else b""
        return b""

    def write(self, place: Place, data: bytes) -> None:
        """Put that there; nothing where it is not there."""
        with contextlib.suppress(OSError):
            os.pwrite(self._file, data, place.at)

    def is_own(self, place: Place) -> bool:
        """Whether the page there, which was read, is mapped there alone, or lies in swap: not one that is in several
        places at once, and not the system's page of zeros, which stands for what nobody has written. True where this
        system does not tell."""
        return self._pages is None or _is_alone(self._pages, place.at)

    def tidy(self) -> None:
        """At a turn's end."""

    def close(self) -> None:
        """It is not read any more."""
        os.close(self._file)
        if self._pages is not None:
            os.close(self._pages)


# https://docs.kernel.org/admin-guide/mm/pagemap.html
_ALONE, _IN_SWAP = 1 << 56, 1 << 62


def _is_alone(pages: int, at: int) -> bool:
    word = os.pread(pages, 8, at // mmap.PAGESIZE * 8)
    return len(word) < 8 or bool(int.from_bytes(word, sys.byteorder) & (_ALONE | _IN_SWAP))


@functools.cache
def _tells_pages() -> bool:
    """Whether this system tells the two apart: asked of a page of ours that is written and of one that was only
    read."""
    with contextlib.suppress(OSError):
        two = mmap.mmap(-1, 2 * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        with contextlib.suppress(OSError):  # a kernel without huge pages knows no such advice
            two.madvise(mmap.MADV_NOHUGEPAGE)
        two[0] = two[mmap.PAGESIZE] + 1
        at = ctypes.addressof(ctypes.c_char.from_buffer(two))
        pages = os.open("/proc/self/pagemap", os.O_RDONLY | os.O_CLOEXEC)
        try:
            return _is_alone(pages, at) and not _is_alone(pages, at + mmap.PAGESIZE)
        finally:
            os.close(pages)
    return False


class _Struct(ctypes.Structure):
    _fields_ = (("handle", ctypes.c_char * HANDLE_BYTES),)  # which the driver takes by value


class DeviceMemory:
    """What a process has allocated on a GPU, by the handles that it has `shown`. OSError where it has none."""

    def __init__(self, shown: Sequence[str]) -> None:
        first, other = [bytes.fromhex(handle) for handle in shown] or (b"", b"")
        self._marks = {index: first[index] for index in _OF_PROCESS if first and first[index] == other[index]}
        self._opened: dict[bytes, tuple[int, int]] = {}
        self._used = {first}
        self._staged: torch.Tensor | None = None
        if not first or self._reach(Place(first, 0), 1) is None:
            raise OSError("what a process allocates on this GPU cannot be shown to another")

    def read(self, place: Place, nbytes: int) -> bytes:
        """So many bytes; none where they are not there."""
        found, reach = ctypes.create_string_buffer(nbytes), self._reach(place, nbytes)
        if reach is None:
            return b""
        with contextlib.suppress(RuntimeError):
            driver("cuMemcpyDtoH_v2", found, ctypes.c_uint64(reach[0] + place.at), ctypes.c_size_t(nbytes))
            return found.raw
        return b""

    def write(self, place: Place, data: bytes) -> None:
        """Put that there, with what lies around it as it was; nothing where it is not there."""
        if (reach := self._reach(place, len(data))) is None:
            return
        if self._staged is None:
            self._staged = torch.empty(_STAGED, dtype=torch.uint8, pin_memory=True)
        staged, (pointer, nbytes) = self._staged, reach
        first = max(min(place.at, nbytes - _STAGED), 0)
        around = ctypes.c_void_p(staged.data_ptr()), ctypes.c_size_t(min(_STAGED, nbytes))
        with contextlib.suppress(RuntimeError):
            driver("cuMemcpyDtoH_v2", around[0], ctypes.c_uint64(pointer + first), around[1])
            own = staged[place.at - first :][: len(data)]
            own.copy_(torch.frombuffer(bytearray(data), dtype=torch.uint8))
            driver("cuMemcpyHtoD_v2", ctypes.c_uint64(pointer + first), around[0], around[1])

    def is_own(self, place: Place) -> bool:
        """What a handle leads to was allocated in one piece."""
        return True

    def _reach(self, place: Place, nbytes: int) -> tuple[int, int] | None:
        """Where its allocation is mapped here, and its bytes."""
        handle = place.handle
        if handle not in self._opened:
            if any(handle[index] != mark for index, mark in self._marks.items()):
                return None
            with contextlib.suppress(RuntimeError):
                self._opened[handle] = _opened(handle)
        self._used.add(handle)
        reach = self._opened.get(handle)
        return reach if reach and 0 <= place.at <= reach[1] - nbytes else None

    def tidy(self) -> None:
        """At a turn's end: what was not used in it is not held any more, which a process may have given back."""
        for handle in self._opened.keys() - self._used:
            _close(self._opened.pop(handle)[0])
        self._used.clear()

    def close(self) -> None:
        """It is not read any more."""
        self._used.clear()
        self.tidy()


def _opened(handle: bytes) -> tuple[int, int]:
    pointer, begins, nbytes = ctypes.c_uint64(), ctypes.c_uint64(), ctypes.c_size_t()
    driver("cuIpcOpenMemHandle_v2", ctypes.byref(pointer), _Struct.from_buffer_copy(handle), ctypes.c_uint(1))
    try:
        driver("cuMemGetAddressRange_v2", ctypes.byref(begins), ctypes.byref(nbytes), pointer)
    except RuntimeError:
        _close(pointer.value)
        raise
    return pointer.value, nbytes.value - (pointer.value - begins.value)


def _close(pointer: int) -> None:
    with contextlib.suppress(RuntimeError):
        driver("cuIpcCloseMemHandle", ctypes.c_uint64(pointer))


Memory = HostMemory | DeviceMemory


def of(pid: int, shown: Sequence[str], *, is_cuda: bool) -> Memory | None:
    """That of a process; None where the parent cannot reach it."""
    with contextlib.suppress(OSError):
        return DeviceMemory(shown) if is_cuda else HostMemory(pid)
    return None
