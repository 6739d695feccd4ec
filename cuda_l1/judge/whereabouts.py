"""Whether an output is made when its call is done, in memory of its own, on a CPU.

A delivery that computes in the judge's memory may cost no more than eager's, which copies, and its call does nothing:
an outer product was 16 times as fast. So after some calls, nobody knows which, a side is asked where its outputs lie.
There, in the process's own memory, the parent reads a few elements at once, and writes others: what is delivered must
hold these. What lies in an input, in a weight, in another element or nowhere at all is not the same afterwards,
whatever the process says of it.

NOT covered: a GPU, whose memory no other process reads; a system that lets nobody read another process's memory, where
eager's cannot be read and nothing is asked; the last call of a turn, which nobody knows to be the last.
"""

from __future__ import annotations

import contextlib
import os
import random
import struct
from typing import NamedTuple

import torch

from cuda_l1.judge.arena import Leaf
from cuda_l1.judge.contender import CandidateError, Contender
from cuda_l1.judge.link import WHERE
from cuda_l1.types import Status

_SHARE, _ALL_OF = 0.25, 4
"""Of the calls of a turn so many are asked about; of few all."""
_ELEMENTS = 16


def are_seen(side: Contender) -> bool:
    """Whether this process may read that one's memory."""
    with contextlib.suppress(OSError):
        os.close(_memory(side))
        return True
    return False


def _memory(side: Contender) -> int:
    return os.open(f"/proc/{side.process.process.pid}/mem", os.O_RDWR | os.O_CLOEXEC)


class _Seen(NamedTuple):
    leaf: int
    first: tuple[int, ...]
    was: bytes
    """Of the elements from that one on; empty where nothing could be read."""
    left: bytes
    """What the parent left there."""


class Whereabouts:
    """Those of one turn. A context manager: in it `see` may be called."""

    def __init__(self, side: Contender, rng: random.Random, calls: int, late: int) -> None:
        """Of so many calls. That one is late: where later calls overwrite it, its values are compared and tell so."""
        self._side, self._rng, self._late = side, rng, late
        self._leaves = side.time_arena.layout.outputs
        shared = [any(how) for how in zip(*side.structure[1:], strict=True)]
        self._written = {leaf for leaf in side.reference.writable if not shared[leaf]}
        self.asked = {call for call in range(calls - 1) if calls <= _ALL_OF or rng.random() < _SHARE}
        self.us: list[float] = []
        """How long each answer took."""
        self._seen: list[_Seen] = []
        self._is_missed = False
        self._file = -1

    def __enter__(self) -> Whereabouts:
        if self.asked:
            with contextlib.suppress(OSError):  # then nothing is found where it is said to lie
                self._file = _memory(self._side)
        return self

    def __exit__(self, *_: object) -> None:
        if self._file >= 0:
            os.close(self._file)

    def see(self, call: int, timeout_s: float) -> None:
        """Some of that call's outputs, which was the last one."""
        process = self._side.process
        self.us.append(process.command(WHERE, timeout_s))
        said = process.link.answer(sum(8 * (1 + len(leaf.shape)) for leaf in self._leaves))
        for number, leaf in enumerate(self._leaves if call != self._late else ()):
            words, said = struct.unpack_from(f"<{1 + len(leaf.shape)}q", said), said[8 * (1 + len(leaf.shape)) :]
            if 0 in leaf.shape:
                continue
            index = tuple(self._rng.randrange(extent) for extent in leaf.shape)
            size, count = leaf.torch_dtype.itemsize, _run(leaf, index) if index and words[-1] == 1 else 1
            at = words[0] + size * sum(place * step for place, step in zip(index, words[1:], strict=True))
            self._seen.append(_Seen(number, index, *self._exchange(at, size * count, leaf, number)))

    def _exchange(self, at: int, nbytes: int, leaf: Leaf, number: int) -> tuple[bytes, bytes]:
        """What lies there, and what is left there instead."""
        try:
            was = os.pread(self._file, nbytes, at) if 0 < at < 1 << 62 else b""
            if len(was) != nbytes:
                return b"", b""
            if number not in self._written:
                return was, was
            left = _others(was, leaf.torch_dtype, self._rng)
            os.pwrite(self._file, left, at)
        except OSError:
            return b"", b""
        return was, left

    def delivered(self, outputs: list[torch.Tensor]) -> None:
        """Put back what was there, into those outputs, of the call that was seen last."""
        for leaf, index, was, left in self._seen:
            size, out = self._leaves[leaf].torch_dtype.itemsize, outputs[leaf]
            part = out[index[:-1]][index[-1] : index[-1] + max(len(was) // size, 1)] if index else out
            found = torch.empty(part.numel(), dtype=part.dtype).copy_(part.reshape(-1))
            self._is_missed |= not was or found.view(torch.uint8).numpy().tobytes() != left
            if was != left:
                part.reshape(-1).copy_(torch.frombuffer(bytearray(was), dtype=part.dtype))
        self._seen = []

    def check(self) -> None:
        """CandidateError where a call's output was not delivered from where it lay when it was done."""
        if self._is_missed:
            detail = "an output did not lie where it was said to when its call was done: compute it in its call"
            raise CandidateError(Status.REJECTED, "unfinished_work", detail)


def _run(leaf: Leaf, index: tuple[int, ...]) -> int:
    """How many elements that follow one another are read from there."""
    return min(_ELEMENTS, leaf.shape[-1] - index[-1])


def _others(was: bytes, dtype: torch.dtype, rng: random.Random) -> bytes:
    """Other numbers, as far off as `outputs.write` leaves them."""
    values = torch.frombuffer(bytearray(was), dtype=dtype)
    changed = ~values if dtype is torch.bool else values.mul_(rng.randrange(2, 9)).add_(1)
    return changed.view(torch.uint8).numpy().tobytes()
