"""Whether an output is made when its call is done, in memory of its own, on a CPU.

A delivery that computes in the judge's memory may cost no more than eager's, which copies, and its call does nothing:
an outer product was 16 times as fast. So after some calls, nobody knows which, a side is asked where its outputs lie.
There, in the process's own memory, the parent reads a few elements at once, and writes others: what is delivered must
hold these. What lies in an input, in a weight, in another element or nowhere at all is not the same afterwards,
whatever the process says of it.

NOT covered: a GPU, whose memory no other process reads; a system that lets nobody read another process's memory, where
eager's cannot be read and nothing is asked.
"""

from __future__ import annotations

import contextlib
import os
import random
import struct
import time
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
        self._last = calls - 1
        self.asked = {call for call in range(calls) if calls <= _ALL_OF or rng.random() < _SHARE}
        self.us: list[float] = []
        """How long each answer took."""
        self._seen: list[_Seen] = []
        self._is_missed = self._is_ours = False
        self._file = -1

    def __enter__(self) -> Whereabouts:
        if self.asked:
            with contextlib.suppress(OSError):  # then nothing is found where it is said to lie
                self._file = _memory(self._side)
        return self

    def __exit__(self, *_: object) -> None:
        if self._file >= 0:
            os.close(self._file)

    def see(self, call: int, outputs: list[torch.Tensor], timeout_s: float) -> None:
        """Some of that call's outputs, which was the last one and will be delivered into these."""
        process = self._side.process
        began = time.perf_counter_ns()
        process.command(WHERE, timeout_s)
        said = process.link.answer(sum(8 * (1 + len(leaf.shape)) for leaf in self._leaves))
        self.us.append((time.perf_counter_ns() - began) / 1e3)  # the whole answer: its first byte says nothing
        reads = []
        for number, leaf in enumerate(self._leaves if call != self._late else ()):
            words, said = struct.unpack_from(f"<{1 + len(leaf.shape)}q", said), said[8 * (1 + len(leaf.shape)) :]
            # in the last one's slot lie other inputs once it is delivered, which a view of them shows
            if 0 in leaf.shape or (call == self._last and number not in self._written):
                continue
            index = tuple(self._rng.randrange(extent) for extent in leaf.shape)
            size, count = leaf.torch_dtype.itemsize, _run(leaf, index) if index and words[-1] == 1 else 1
            at = words[0] + size * sum(place * step for place, step in zip(index, words[1:], strict=True))
            reads.append((number, index, at, self._read(at, size * count)))
        for number, index, at, was in reads:  # all are read by now
            self._seen.append(_Seen(number, index, was, self._write(at, was, number, _part(outputs[number], index))))

    def _read(self, at: int, nbytes: int) -> bytes:
        with contextlib.suppress(OSError):
            was = os.pread(self._file, nbytes, at) if 0 < at < 1 << 62 else b""
            return was if len(was) == nbytes else b""
        return b""

    def _write(self, at: int, was: bytes, number: int, ours: torch.Tensor) -> bytes:
        """What is left there, in place of what was. `ours`: where that will be delivered."""
        if not was or number not in self._written:
            return was
        before, left = _bytes(ours), _others(was, self._leaves[number].torch_dtype, self._rng)
        with contextlib.suppress(OSError):
            os.pwrite(self._file, left, at)
        self._is_ours |= _bytes(ours) != before
        return left

    def delivered(self, outputs: list[torch.Tensor]) -> None:
        """Put back what was there, into those outputs, of the call that was seen last."""
        for leaf, index, was, left in self._seen:
            part = _part(outputs[leaf], index)[: max(len(was) // outputs[leaf].itemsize, 1)]
            self._is_missed |= not was or _bytes(part) != left
            if was != left:
                part.copy_(torch.frombuffer(bytearray(was), dtype=part.dtype))
        self._seen = []

    def check(self) -> None:
        """CandidateError where a call's output was not delivered from where it lay when it was done."""
        if self._is_ours:
            detail = "an output lay in the judge's memory before it was delivered: return a tensor of its own"
            raise CandidateError(Status.REJECTED, "unfinished_work", detail)
        if self._is_missed:
            detail = "an output did not lie where it was said to when its call was done: compute it in its call"
            raise CandidateError(Status.REJECTED, "unfinished_work", detail)


def _run(leaf: Leaf, index: tuple[int, ...]) -> int:
    """How many elements that follow one another are read from there."""
    return min(_ELEMENTS, leaf.shape[-1] - index[-1])


def _part(out: torch.Tensor, index: tuple[int, ...]) -> torch.Tensor:
    """An output's elements from that one on."""
    return out[index[:-1]][index[-1] : index[-1] + _ELEMENTS] if index else out.reshape(1)


def _bytes(part: torch.Tensor) -> bytes:
    return torch.empty(part.shape, dtype=part.dtype).copy_(part).view(torch.uint8).numpy().tobytes()


def _others(was: bytes, dtype: torch.dtype, rng: random.Random) -> bytes:
    """Other numbers, as far off as `outputs.write` leaves them."""
    values = torch.frombuffer(bytearray(was), dtype=dtype)
    if dtype is torch.bool:
        return _bytes(~values)
    values[~torch.isfinite(values)] = 0
    return _bytes(values.mul_(rng.randrange(2, 9)).add_(1))
