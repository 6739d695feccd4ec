"""Whether an output is there when a side says that it is delivered.

Outputs are taken when a turn is over. A side that delivers nothing until then may compute all of a turn in one pass,
which its last delivery is charged for once: five times as fast where a call is mostly launches. So a few bytes of each
output are read as soon as it is said to lie there, at places that nobody is told, and must be the same in the end.

NOT covered: the last output of a turn, which is delivered while others' inputs lie in its slot (race).
"""

from __future__ import annotations

import random
import time

from cuda_l1.judge.arena import Arena
from cuda_l1.judge.contender import CandidateError
from cuda_l1.types import Status

_BYTES = 64


class Peeks:
    """Those of one turn."""

    def __init__(self, arena: Arena, rng: random.Random, count: int) -> None:
        """For so many deliveries, one output slot after the other."""
        self._block, layout = arena.block, arena.layout
        self._places: list[tuple[int, int]] = []
        self._seen: list[bytes] = []
        self.us = 0.0
        """How long looking took."""
        columns = [column for column in layout.columns("outputs") if column[1] > column[0]]
        if not columns:
            return
        sizes = [last - first for first, last, _ in columns]
        for slot in range(count):
            (first, last, _), start = (
                rng.choices(columns, sizes)[0],
                layout.input_nbytes + slot * layout.output_slot_nbytes,
            )
            at = start + rng.randrange(first, max(last - _BYTES, first) + 1)
            self._places.append((at, min(at + _BYTES, start + last)))

    def look(self) -> None:
        """At the next output, which was delivered just now."""
        if len(self._seen) < len(self._places):
            began = time.perf_counter_ns()
            self._seen.append(self._bytes(*self._places[len(self._seen)]))
            self.us += (time.perf_counter_ns() - began) / 1e3

    def check(self) -> None:
        """CandidateError where something was written to an output after it was said to be delivered."""
        for number, was in enumerate(self._seen):
            if self._bytes(*self._places[number]) != was:
                detail = "an output was not there when its delivery was done, and was later: compute it in its call"
                raise CandidateError(Status.REJECTED, "unfinished_work", detail)

    def _bytes(self, first: int, last: int) -> bytes:
        return self._block[first:last].cpu().numpy().tobytes()
