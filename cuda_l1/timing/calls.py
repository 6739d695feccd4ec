"""The calls of one turn: inputs taken up, a call, its output delivered, and so on until the last call is done.

NOT covered: which slots and why, the last delivery, and what the clock's figures mean (race, turns).
"""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence
from typing import NamedTuple

from cuda_l1.correctness.reference import Reference
from cuda_l1.timing import probes
from cuda_l1.timing.laid import Laid
from cuda_l1.timing.peeks import Peeks
from cuda_l1.timing.turns import Late, Record
from cuda_l1.timing.whereabouts import Whereabouts
from cuda_l1.wire.link import DELIVER, RUN, SWAP


class Called(NamedTuple):
    """What the clock saw, microseconds."""

    calls_us: list[float]
    """Without the one that was probed."""
    prepare_us: list[float]
    """Taking up inputs, of all calls."""
    probed_us: float
    """Of the judge's own work at the one that was probed. Peeks are on the clock, of all sides alike: who has not
    waited for the device would have their time for nothing."""
    first_ns: int
    """When the first call was done, by the monotonic clock."""
    stopped_us: list[float]
    """While inputs were written, of all calls."""


def call(
    record: Record,
    reference: Reference,
    laid: Laid,
    slots: Sequence[int],
    probe: probes.Probe | None,
    late: Late,
    peeks: Peeks,
    whereabouts: Whereabouts,
) -> Called:
    """Ask one side, which runs and has taken note that its turn began. `peeks` are at all outputs but the last,
    `whereabouts` of some of them before they are delivered."""
    process, timeout_s = record.side.process, reference.config.run_timeout_s
    arena, lies = record.side.time_arena, late.order(len(slots)).index
    calls: list[float] = []
    prepared: list[tuple[float, float]] = []
    probing = probes.Probing(process, reference.device, probe.call_s if probe else 0.0, timeout_s, record.probed)
    first_ns = 0

    def is_probed(position: int, value: int) -> bool:
        return probe is not None and (probe.position, probe.word) == (position, value)

    def word(position: int, value: int) -> list[float]:
        """What a call counts: nothing where the device was kept busy."""
        return probing.word(value) if is_probed(position, value) else [process.command(value, timeout_s)]

    for position, slot in enumerate(slots):
        if position and position - 1 != late.call:
            word(position, DELIVER)
            if position - 1 in whereabouts.asked:
                whereabouts.delivered(arena.output(lies(position - 1)))
            peeks.look()
        ask = functools.partial(laid.ask, record.side, slot, timeout_s)
        prepared.append(probing.opened(ask, min(us for us, _ in prepared)) if is_probed(position, RUN) else ask())
        calls += word(position, RUN)
        first_ns = first_ns or time.perf_counter_ns()
        if position in whereabouts.asked and not whereabouts.comes_later(position):
            whereabouts.see(position, arena.output(lies(position)), timeout_s)
        for value in {late.call: (SWAP,), late.after: (SWAP, DELIVER, SWAP)}.get(position, ()):
            process.command(value, timeout_s)
            if value == DELIVER:
                peeks.look()
    prepare_us, stopped_us = map(list, zip(*prepared, strict=True))
    return Called(calls, prepare_us, probing.us, first_ns, stopped_us)
