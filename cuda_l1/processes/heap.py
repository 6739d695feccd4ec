"""The heap of a process on a CPU, brought into one state before its calls are timed.

What a call's large tensors cost depends on how many buffers they take in turn: a chain of operations on a megabyte
needs 3 at least, and takes 1.4 times as long where it goes round 5 or 12, which no longer lie in a core's cache.
glibc decides that by what earlier work left: holes that fit, and where its free memory begins. PyTorch asks for memory
aligned to 64 bytes, glibc cuts that out of a larger piece, and unless the piece ends where the tensor does, the rest
stays behind as a small piece of its own, which keeps the freed neighbours apart. So equal code was faster by a third in
one process than in another, and in all forks of one process alike (docs/results/aa.md).

NOT covered: heaps that are not glibc's, and what a candidate does to its own.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

_LARGEST, _SMALLEST = 16 << 20, 32 << 10
"""Holes of this size and above are filled; smaller ones are left to what is no tensor worth timing."""
_ALIGNMENT, _BEGINS = 64, 48
"""Where free memory begins, so that an aligned piece cut from it leaves nothing behind it."""
_PIECES, _PIECE_BYTES = 8, 31 << 20
"""Pieces below the size from which on glibc asks the system for each (see `nursery.environment`)."""


class _State(ctypes.Structure):
    """`struct mallinfo`, https://man7.org/linux/man-pages/man3/mallinfo.3.html: every glibc has it, and that it counts
    in 32 bits is no matter where numbers are only compared."""

    _fields_ = tuple((name, ctypes.c_int) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost",
    ))  # fmt: skip


_fillers: list[int] = []


def even() -> None:
    """Leave no hole, and free memory in one piece at the heap's end, untouched, from where an aligned piece fits."""
    libc = _glibc()
    if libc is None:
        return
    while _fillers:
        libc.free(_fillers.pop())
    size = _LARGEST
    while size >= _SMALLEST:
        before = libc.mallinfo().keepcost
        made = libc.malloc(size)
        if made and libc.mallinfo().keepcost == before:
            _fillers.append(made)
        else:  # from the end, or nothing: no hole of that size is left
            libc.free(made)
            size //= 2
    begins = libc.malloc(_LARGEST)
    if begins is None:  # the process has all that it may
        return
    libc.free(begins)
    _fillers.append(libc.malloc((_BEGINS - begins) % _ALIGNMENT + 2 * _SMALLEST - ctypes.sizeof(ctypes.c_size_t)))
    for piece in [libc.malloc(_PIECE_BYTES) for _ in range(_PIECES)]:
        libc.free(piece)


@functools.cache
def _glibc() -> Any:
    """None where the process has another heap."""
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "mallinfo"):
        return None
    libc.mallinfo.restype = _State
    libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    libc.free.argtypes = [ctypes.c_void_p]
    return libc
