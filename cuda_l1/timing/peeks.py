"""Whether an output is there when a side says that it is delivered.

A side that delivers nothing until a turn is over may compute all of it in one pass, which its last delivery is charged
for once: five times as fast where a call is mostly launches. So on a CPU the outputs that will be compared are taken as
soon as they are said to lie there. And a few bytes of every output, of up to four of its tensors, are read then, at
places that nobody is told, and must be the same in the end.

NOT covered: the last output of a turn, which is delivered while others' inputs lie in its slot (race); on a GPU, where
another process's kernel between two calls would take 0.2 ms, parts of an output that are small beside the rest of it.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence

import torch

from cuda_l1.correctness.refusals import CandidateError
from cuda_l1.types import Status
from cuda_l1.wire.arena import Arena, Layout, Leaf

_BYTES, _MOST_LEAVES = 64, 4
_VERIFIED_BYTES = 64 << 20


def chosen(rng: random.Random, leaves: tuple[Leaf, ...], kinds: Sequence[str], late: int) -> list[int]:
    """Which calls' outputs are compared, of a turn whose inputs are of these `kinds`: the last one's, two on other
    values, others by chance, and the one's that is delivered late."""
    each, last = Layout((), leaves, 0, 1).output_slot_nbytes, len(kinds) - 1
    count = min(last + 1, max(2, min(4, _VERIFIED_BYTES // max(each, 1))))
    drawn = rng.sample(range(last), last)
    drawn = (sorted(drawn, key=lambda position: kinds[position] == "own")[:2] + drawn)[: count - 1]
    return list(dict.fromkeys([last, *([late] if late >= 0 else []), *drawn]))


class Peeks:
    """Those of one turn."""

    def __init__(self, arena: Arena, rng: random.Random, order: list[int], chosen: Collection[int]) -> None:
        """For the calls whose outputs are delivered in that order, one output slot after the other, but for the last of
        them; of those `chosen` the outputs will be compared."""
        self._arena, self._order = arena, order[:-1]
        self._takes = set(chosen) if arena.block.device.type == "cpu" else set()
        self._places: list[list[tuple[int, int]]] = []
        self._seen: list[list[bytes]] = []
        self.taken: dict[int, list[torch.Tensor]] = {}
        """By call, the outputs of those that are taken at once."""
        layout = arena.layout
        columns = [column for column in layout.columns("outputs") if column[1] > column[0]]
        for slot in range(len(self._order)):
            start = layout.input_nbytes + slot * layout.output_slot_nbytes
            some = rng.sample(columns, min(len(columns), _MOST_LEAVES))
            self._places.append([self._place(rng, start + first, start + last) for first, last, _ in some])

    @staticmethod
    def _place(rng: random.Random, first: int, last: int) -> tuple[int, int]:
        at = rng.randrange(first, max(last - _BYTES, first) + 1)
        return at, min(at + _BYTES, last)

    def look(self) -> None:
        """At the next output, which was delivered just now."""
        slot = len(self._seen)
        if slot == len(self._order):
            return
        self._seen.append([self._bytes(*place) for place in self._places[slot]])
        if (call := self._order[slot]) in self._takes:
            self.taken[call] = [leaf.clone() for leaf in self._arena.output(slot)]

    def check(self) -> None:
        """CandidateError where something was written to an output after it was said to be delivered."""
        for places, seen in zip(self._places, self._seen, strict=False):
            if [self._bytes(*place) for place in places] != seen:
                detail = "an output was not there when its delivery was done, and was later: compute it in its call"
                raise CandidateError(Status.REJECTED, "unfinished_work", detail)

    def _bytes(self, first: int, last: int) -> bytes:
        return self._arena.block[first:last].cpu().numpy().tobytes()
