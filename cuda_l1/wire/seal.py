"""Inputs that lie ready in a process and cannot be read there: each is sealed under a key of its own, which the process
gets with the command that asks for it.

The seal is a stream of random bits of the device's own generator (Philox on a GPU,
https://docs.pytorch.org/docs/stable/notes/randomness.html), the same on both sides, and the exclusive or with it.
NOT covered: what a process does with inputs between that command and the call.
"""

from __future__ import annotations

import torch

_WASHED = 1.5
"""So many times the second-level cache are written to leave nothing in it."""
WASHED_FROM = 1 << 20
"""Inputs of fewer bytes are read from a cache or from memory in as much time, beside what a call takes; and code that
is in no cache took short calls of several kernels half as long again."""
_LEAST = -(1 << 63)
"""Of a word: all of its bits are drawn."""


class Pad:
    """Where the stream is made. In a worker it washes the device's cache afterwards, so that a call finds its inputs in
    memory."""

    def __init__(self, nbytes: int, device: str, *, washes: bool) -> None:
        """For slots of so many bytes."""
        washed = washed_nbytes(device) if washes and nbytes >= WASHED_FROM else 0
        self._words = torch.empty(max(nbytes, washed) // 8, dtype=torch.int64, device=device)
        self._washed = self._words[: washed // 8]
        self._generator = torch.Generator(device)

    def stream(self, key: int, count: int) -> torch.Tensor:
        """So many words of eight bytes, which are there until the next are made."""
        self._generator.manual_seed(key)
        return self._words[:count].random_(_LEAST, None, generator=self._generator)

    def open(self, row: torch.Tensor, key: int) -> None:
        """Take the seal off a slot, and leave nothing of large ones in the cache. However large they are, no more is
        written than that takes: in as much time something else could be done for the call."""
        row.bitwise_xor_(self.stream(key, len(row)))
        if len(self._washed):
            self._washed.zero_()


def washed_nbytes(device: str) -> int:
    """Bytes that are written to leave nothing of what was there in a GPU's cache; none on a CPU."""
    return 0 if device == "cpu" else int(_WASHED * l2_nbytes(device)) // 8 * 8


def l2_nbytes(device: str) -> int:
    """Of a GPU's second-level cache."""
    return int(torch.cuda.get_device_properties(device).L2_cache_size)
