"""Whether an output is made when its call is done, in memory of its own.

A delivery that computes in the judge's memory may cost no more than eager's, which copies, and its call does nothing:
an outer product was 16 times as fast. So after some calls, nobody knows which, a side is asked where its outputs lie.
There, in the process's own memory, the parent reads a few elements at once, and writes others: what is delivered must
hold these. What lies in an input, in a weight, in another element or nowhere at all is not the same afterwards,
whatever the process says of it.

NOT covered: work in the answer that is forgiven (turns); on a GPU outputs that the reference itself gives as views of
its inputs, and what calls that are no turn's last and that nobody probes leave to be over by the look, up to 0.1 ms
later; a system that lets nobody read another process's memory, where eager's cannot be read and nothing is asked.
"""

from __future__ import annotations

import itertools
import random
import struct
import time
from collections.abc import Collection
from typing import NamedTuple

import torch

from cuda_l1.correctness.contender import Contender
from cuda_l1.correctness.refusals import CandidateError
from cuda_l1.types import Status
from cuda_l1.wire.arena import Leaf
from cuda_l1.wire.link import WHERE
from cuda_l1.wire.memory import HANDLE_BYTES, Memory, Place

_SHARE, _SHARE_OF_FEW, _FEW = 0.25, 0.5, 4
"""Of the calls of a turn so many are asked about. Of few all, but on a GPU half of them: what a call leaves to be done
while the judge looks is on no clock, and shows in those that nobody looks at."""
_ELEMENTS, _MOST_LEAVES = 16, 8


def drawn(rng: random.Random, calls: int, *, is_cuda: bool) -> set[int]:
    """Which of so many calls are asked about, of all sides alike."""
    of_few = _SHARE_OF_FEW if is_cuda and calls > 1 else 1.0  # a turn's only call is looked at once the device is idle
    share = of_few if calls <= _FEW else _SHARE
    return {call for call in range(calls) if rng.random() < share}


class _Seen(NamedTuple):
    leaf: int
    first: tuple[int, ...]
    was: bytes
    """Of the elements from that one on; empty where nothing could be read."""
    left: bytes
    """What the parent left there."""


class Whereabouts:
    """Those of one turn."""

    def __init__(
        self,
        side: Contender,
        memory: Memory | None,
        rng: random.Random,
        asked: Collection[int],
        calls: int,
        late: int,
    ) -> None:
        """Of those `asked` about of so many calls. That one is late: where later calls overwrite it, its values are
        compared and tell so. Without the side's memory nothing is found where it is said to lie."""
        self._side, self._memory, self._rng, self.asked, self._late = side, memory, rng, asked, late
        self._is_cuda = side.device.startswith("cuda")
        self._leaves = side.time_arena.layout.outputs
        shared = list(zip(*side.structure[1:], strict=True))
        self._written = {leaf for leaf in side.reference.writable if not any(shared[leaf])}
        # what lies in an input lies in the judge's memory, which on a GPU has no handles; what is conjugated when it is
        # delivered lies there as it was
        self._unseen = {leaf for leaf, (how, is_view) in enumerate(shared) if how > 1 or (is_view and self._is_cuda)}
        # in the last one's slot lie other inputs once it is delivered, which a view of them shows
        self._stays = self._written | {leaf for leaf, (how, is_view) in enumerate(shared) if how and not is_view}
        self._last = calls - 1
        self.us: list[float] = []
        """How long each answer took."""
        self._seen: list[_Seen] = []
        self._changed: list[tuple[torch.Tensor, bytes]] = []
        self._is_missed = self._is_ours = self._is_shared = False

    def comes_later(self, call: int) -> bool:
        """Whether that call's are seen once its turn is over: on a GPU the last one's."""
        return self._is_cuda and call == self._last

    def see_last(self, outputs: list[torch.Tensor], timeout_s: float) -> None:
        """The last call's, on a GPU: of a side that is stopped, once the judge has found whether the device is idle.
        What is left of a call would be over after a look. The answer is timed from when the side goes on."""
        if self._is_cuda and self._last in self.asked:
            self._side.process.resume()
            self.see(self._last, outputs, timeout_s)
            self._side.process.stop()

    def see(self, call: int, outputs: list[torch.Tensor], timeout_s: float) -> None:
        """Some of that call's outputs, which was the last one and will be delivered into these."""
        process, head = self._side.process, HANDLE_BYTES if self._is_cuda else 0
        sizes = [head + 8 * (1 + len(leaf.shape)) for leaf in self._leaves]
        began = time.perf_counter_ns()
        process.command(WHERE, timeout_s)
        said = process.link.answer(sum(sizes), timeout_s)
        self.us.append((time.perf_counter_ns() - began) / 1e3)  # the whole answer: its first byte says nothing
        reads, ends = [], list(itertools.accumulate(sizes))
        for number in self._some() if call != self._late else ():
            leaf = self._leaves[number]
            own = said[ends[number] - sizes[number] : ends[number]]
            words = struct.unpack_from(f"<{1 + len(leaf.shape)}q", own, head)
            if 0 in leaf.shape or (call == self._last and number not in self._stays):
                continue
            index = tuple(self._rng.randrange(extent) for extent in leaf.shape)
            size, count = leaf.torch_dtype.itemsize, _run(leaf, index) if index and words[-1] == 1 else 1
            at = words[0] + size * sum(place * step for place, step in zip(index, words[1:], strict=True))
            place = Place(own[:head], at)
            reads.append((number, index, place, self._memory.read(place, size * count) if self._memory else b""))
        for number, index, place, was in reads:  # all are read by now
            self._seen.append(_Seen(number, index, was, self._write(place, was, number, outputs[number], index)))

    def _some(self) -> list[int]:
        seen = [number for number in range(len(self._leaves)) if number not in self._unseen]
        return self._rng.sample(seen, min(len(seen), _MOST_LEAVES))

    def _write(self, place: Place, was: bytes, number: int, out: torch.Tensor, index: tuple[int, ...]) -> bytes:
        """What is left there, in place of what was. `out`: where that will be delivered."""
        if not was or self._memory is None or number not in self._written:
            return was
        self._is_shared |= not self._memory.is_own(place)
        left = _others(was, self._leaves[number].torch_dtype, self._rng)
        if self._is_cuda:  # no handle leads to the judge's own memory
            self._memory.write(place, left)
            return left
        before = _bytes(_part(out, index))
        self._memory.write(place, left)
        self._is_ours |= _bytes(_part(out, index)) != before
        return left

    def delivered(self, outputs: list[torch.Tensor]) -> None:
        """Those outputs, of the call that was seen last. On a CPU, where they are read now, what was there is put back
        into them at once."""
        for leaf, index, was, left in self._seen:
            part = _part(outputs[leaf], index)[: max(len(was) // outputs[leaf].itemsize, 1)]
            self._is_missed |= not was or _bytes(part) != left
            if was != left:
                self._changed.append((part, was))
        self._seen = []
        if not self._is_cuda:
            self._put_back()

    def end(self) -> None:
        """Of the turn: the side's process is stopped, for on a GPU its next kernel waits for what is put back."""
        self._put_back()
        if self._memory is not None:
            self._memory.tidy()

    def _put_back(self) -> None:
        for part, was in self._changed:
            part.copy_(torch.frombuffer(bytearray(was), dtype=part.dtype))
        self._changed = []

    def check(self) -> None:
        """CandidateError where a call's output was not delivered from where it lay when it was done."""
        if self._is_ours:
            detail = "an output lay in the judge's memory before it was delivered: return a tensor of its own"
            raise CandidateError(Status.REJECTED, "unfinished_work", detail)
        if self._is_shared:
            detail = (
                "plain: an output lies in pages that are in several places of its memory at once, or that nobody has "
                "written: who writes to them pays for that; write all of it in its call"
            )
            raise CandidateError(Status.REJECTED, "output_plain", detail)
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
    values.nan_to_num_(0.0, 0.0, 0.0)
    return _bytes(values.mul_(rng.randrange(2, 9)).add_(1))
