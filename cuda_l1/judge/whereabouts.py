"""Whether an output is made when its call is done, on a CPU.

A delivery that computes in the judge's memory may cost no more than eager's, which copies, and its call does nothing:
an outer product was 16 times as fast. So after some calls, nobody knows which, a side is asked where its outputs lie,
and a few bytes are read there at once, by the parent. What is delivered must hold them.

NOT covered: a GPU, whose memory no other process reads; a system that lets nobody read another process's memory, where
eager's cannot be read and nothing is asked; the last call of a turn, which nobody knows to be the last.
"""

from __future__ import annotations

import contextlib
import os
import random
import struct

import torch

from cuda_l1.judge.arena import Arena, Leaf
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
    return os.open(f"/proc/{side.process.process.pid}/mem", os.O_RDONLY | os.O_CLOEXEC)


class Whereabouts:
    """Those of one turn. A context manager: in it `see` may be called."""

    def __init__(self, side: Contender, rng: random.Random, calls: int) -> None:
        """Of so many calls."""
        self._side, self._rng, self._leaves = side, rng, side.time_arena.layout.outputs
        self.asked = {call for call in range(calls - 1) if calls <= _ALL_OF or rng.random() < _SHARE}
        self.us: list[float] = []
        """How long each answer took."""
        self._seen: list[tuple[int, int, tuple[int, ...], bytes]] = []
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
        for number, leaf in enumerate(self._leaves):
            words, said = struct.unpack_from(f"<{1 + len(leaf.shape)}q", said), said[8 * (1 + len(leaf.shape)) :]
            if 0 in leaf.shape:
                continue
            index = tuple(self._rng.randrange(extent) for extent in leaf.shape)
            size, count = leaf.torch_dtype.itemsize, _run(leaf, index) if index and words[-1] == 1 else 1
            at = words[0] + size * sum(place * step for place, step in zip(index, words[1:], strict=True))
            try:
                read = os.pread(self._file, size * count, at) if 0 < at < 1 << 62 else b""
            except OSError:
                read = b""
            self._seen.append((call, number, index, read if len(read) == size * count else b""))

    def check(self, arena: Arena, order: list[int], late: int) -> None:
        """CandidateError where a call's output, delivered in that order, is not what lay there when it was done. Not of
        the one that is late: where later calls overwrote it, its values are compared and tell so."""
        for call, number, index, was in self._seen:
            if call == late:
                continue
            leaf, size = arena.output(order.index(call))[number], self._leaves[number].torch_dtype.itemsize
            part = leaf[index[:-1]][index[-1] : index[-1] + max(len(was) // size, 1)] if index else leaf
            found = torch.empty(part.numel(), dtype=part.dtype).copy_(part.reshape(-1))
            if found.view(torch.uint8).numpy().tobytes() != was:
                detail = "an output did not lie where it was said to when its call was done: compute it in its call"
                raise CandidateError(Status.REJECTED, "unfinished_work", detail)


def _run(leaf: Leaf, index: tuple[int, ...]) -> int:
    """How many elements that follow one another are read from there."""
    return min(_ELEMENTS, leaf.shape[-1] - index[-1])
