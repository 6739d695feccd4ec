"""How many inputs a block of a race has, and how many of them a turn asks for.

NOT covered: which ones (laid.py), and when (race.py).
"""

from __future__ import annotations

from typing import NamedTuple

from cuda_l1.correctness.reference import Reference
from cuda_l1.evidence import roofline
from cuda_l1.machine import room
from cuda_l1.wire import seal
from cuda_l1.wire.arena import Layout

_TURN_S = {"cpu": 0.02, "cuda": 0.01}
_MOST_CALLS, _MOST_LARGE = 16, 8
"""A turn on a CPU: four times as many calls narrow no interval, which two processes of equal code set, and take three
times as long. The second of inputs that are no small ones: to write each takes as long as a short call, and where
several cores stop for it 0.1 to 0.2 ms more."""
_INPUT_BUDGET_BYTES, _OUTPUT_BUDGET_BYTES = 16 << 20, 256 << 20
"""On a CPU; for a GPU see `room.race_calls`."""
SMALL_BYTES = 64 << 10
"""Of a call's inputs on a CPU: written in some microseconds, so that nobody need be stopped meanwhile."""
_SMALL_SLOTS_A_CALL = 4
"""Addresses that small inputs may come at."""


class Plan(NamedTuple):
    """How many slots a block has for inputs, and how many of these are asked for in one turn at most."""

    slots: int
    calls: int

    @property
    def turns_laid(self) -> int:
        """For how many turns inputs are drawn at a time: both of a block, or one where they are too large."""
        return 2 if self.slots > 1 else 1


def plan(reference: Reference) -> Plan:
    """Slots and calls for a task, the same number of slots for each call."""
    slot = reference.verify_layout
    each_in, each_out = slot.input_slot_nbytes, slot.output_slot_nbytes
    call_s = max(reference.call_s, 1e-6)
    if reference.device.startswith("cuda"):
        if reference.room.one_slot:
            return Plan(1, 1)
        calls = max(min(int(_TURN_S["cuda"] / call_s), room.race_calls(each_in, each_out)), 1)
        return Plan(2 * calls, calls)  # 2, because a block has two turns
    is_small = each_in <= SMALL_BYTES
    room_for = min(_INPUT_BUDGET_BYTES / max(2 * each_in, 1), _OUTPUT_BUDGET_BYTES / max(each_out, 1))
    calls = max(int(min(_TURN_S["cpu"] / call_s, _MOST_CALLS if is_small else _MOST_LARGE, room_for)), 1)
    return Plan((_SMALL_SLOTS_A_CALL if is_small else 2) * calls, calls)


def washes(reference: Reference, plan: Plan) -> bool:
    """Whether a GPU's cache is washed before each call."""
    is_large = reference.verify_layout.input_slot_nbytes >= seal.WASHED_FROM
    return reference.device.startswith("cuda") and plan.slots > 1 and is_large


def rotating_nbytes(reference: Reference, plan: Plan) -> int:
    """Bytes of inputs that pass through a cache before any come again: on a CPU those of one call, which have just been
    written. Where it is washed before each call, as if they were four caches: it need not give up first what was used
    longest ago, so that some may still lie there."""
    each_in = reference.verify_layout.input_slot_nbytes
    if not reference.device.startswith("cuda"):
        return each_in
    washed = roofline.COLD_CACHES * seal.l2_nbytes(reference.device) if washes(reference, plan) else 0
    return max(plan.slots * each_in, washed)


def layout(reference: Reference, plan: Plan) -> Layout:
    """Every contender's memory for timed calls."""
    return Layout(reference.input_leaves, reference.output_leaves, plan.slots, plan.calls)
