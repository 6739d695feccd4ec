"""How many inputs lie ready in a block of a race, and how many of them are asked for. Pure.

NOT covered: which ones (laid.py), and when (race.py).
"""

from __future__ import annotations

from typing import NamedTuple

from cuda_l1.judge import room
from cuda_l1.judge.arena import Layout
from cuda_l1.judge.reference import Reference

_TURN_S = {"cpu": 0.02, "cuda": 0.01}
_LEAST_CALLS = 8.0
_BYTES_PER_S = {"cpu": 2e10, "cuda": 5e12}
"""No slower than the memory: what reading and writing all slots costs at least."""
_INPUT_BUDGET_BYTES = {"cpu": 16 << 20, "cuda": room.RACE_BYTES}
_OUTPUT_BUDGET_BYTES = {"cpu": 256 << 20, "cuda": room.RACE_BYTES}
_SMALL_BYTES = 64 << 10
"""Of a call's inputs on a CPU: written in some microseconds, and read as fast from a cache as from memory beside what a
call takes. What has hardly a byte may be computed for any number of slots at the price of a few. (A GPU would turn to
the judge for it and back, 145 us that the call then pays.)"""
_SMALL_SLOTS_A_CALL = 4
_MOST_SLOTS = {"cpu": 1 << 10, "cuda": room.MOST_SLOTS}


class Plan(NamedTuple):
    """How many slots lie ready in a block, and of these how many are asked for in one turn at most."""

    slots: int
    calls: int

    @property
    def turns_laid(self) -> int:
        """For how many turns of a block inputs lie ready: both, or one after the other where they are too large."""
        return 2 if self.slots > 1 else 1


def plan(reference: Reference) -> Plan:
    """Slots and calls for a task: reading all slots takes as long as the calls of a turn take the reference, but where
    inputs are small."""
    kind = reference.device.partition(":")[0]
    each_in = Layout(reference.input_leaves, (), 1, 0).input_slot_nbytes
    each_out = Layout((), reference.output_leaves, 0, 1).output_slot_nbytes
    if kind == "cuda" and room.has_one_slot(each_in):
        return Plan(1, 1)
    call_s = max(reference.call_s, 1e-6)
    # to have every answer ready, all slots must be read and all outputs written; 2, because a block has two turns
    slots_a_call = max(2 * call_s * _BYTES_PER_S[kind] / max(each_in + each_out, 1), 2.0)
    most_slots = max(min(_INPUT_BUDGET_BYTES[kind] / max(each_in, 1), _MOST_SLOTS[kind]), 2)
    calls = min(_TURN_S[kind] / call_s, room.MOST_CALLS, _OUTPUT_BUDGET_BYTES[kind] / max(each_out, 1),
                max(most_slots / slots_a_call, _LEAST_CALLS), most_slots / 2)  # fmt: skip
    calls = max(int(calls), 1)
    if is_small(reference):
        return Plan(_SMALL_SLOTS_A_CALL * calls, calls)
    return Plan(max(2 * calls, min(int(calls * slots_a_call), int(most_slots))), calls)


def is_small(reference: Reference) -> bool:
    """Whether inputs are written just before the call that is for them, so that no number of other slots need hide
    which ones will be asked for."""
    return reference.device == "cpu" and Layout(reference.input_leaves, (), 1, 0).input_slot_nbytes <= _SMALL_BYTES


def layout(reference: Reference, plan: Plan) -> Layout:
    """Every contender's memory for timed calls."""
    return Layout(reference.input_leaves, reference.output_leaves, plan.slots, plan.calls)
