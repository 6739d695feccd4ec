"""How many inputs lie ready in a block of a race, and how many of them are asked for. Pure.

NOT covered: which ones (laid.py), and when (race.py).
"""

from __future__ import annotations

from typing import NamedTuple

from cuda_l1.judge import roofline, room, seal
from cuda_l1.judge.arena import Layout
from cuda_l1.judge.reference import Reference

_TURN_S = {"cpu": 0.02, "cuda": 0.01}
_LEAST_CALLS, _MOST_CALLS, _MOST_SLOTS = 8.0, 64, 1 << 10
_INPUT_BUDGET_BYTES, _OUTPUT_BUDGET_BYTES = 16 << 20, 256 << 20
"""On a CPU; for a GPU see `room.race_calls`."""
_BYTES_PER_S = 2e10
"""No slower than a CPU's memory: what reading and writing all slots costs at least."""
_SMALL_BYTES = 64 << 10
"""Of a call's inputs on a CPU: written in some microseconds, and read as fast from a cache as from memory beside what a
call takes. What has hardly a byte may be computed for any number of slots at the price of a few."""
_SMALL_SLOTS_A_CALL = 4


class Plan(NamedTuple):
    """How many slots lie ready in a block, and of these how many are asked for in one turn at most."""

    slots: int
    calls: int

    @property
    def turns_laid(self) -> int:
        """For how many turns of a block inputs lie ready: both, or one after the other where they are too large."""
        return 2 if self.slots > 1 else 1


def plan(reference: Reference) -> Plan:
    """Slots and calls for a task. On a GPU no other slots than those that will be asked for, which are sealed. On a CPU
    reading all slots takes as long as the calls of a turn take the reference, but where inputs are small."""
    each_in = Layout(reference.input_leaves, (), 1, 0).input_slot_nbytes
    each_out = Layout((), reference.output_leaves, 0, 1).output_slot_nbytes
    call_s = max(reference.call_s, 1e-6)
    if reference.device.startswith("cuda"):
        if room.has_one_slot(each_in):
            return Plan(1, 1)
        calls = max(min(int(_TURN_S["cuda"] / call_s), room.race_calls(each_in, each_out)), 1)
        return Plan(2 * calls, calls)
    # to have every answer ready, all slots must be read and all outputs written; 2, because a block has two turns
    slots_a_call = max(2 * call_s * _BYTES_PER_S / max(each_in + each_out, 1), 2.0)
    most_slots = max(min(_INPUT_BUDGET_BYTES / max(each_in, 1), _MOST_SLOTS), 2)
    calls = int(min(_TURN_S["cpu"] / call_s, _MOST_CALLS, _OUTPUT_BUDGET_BYTES / max(each_out, 1),
                    max(most_slots / slots_a_call, _LEAST_CALLS), most_slots / 2))  # fmt: skip
    calls = max(calls, 1)
    if is_small(reference):
        return Plan(_SMALL_SLOTS_A_CALL * calls, calls)
    return Plan(max(2 * calls, min(int(calls * slots_a_call), int(most_slots))), calls)


def is_small(reference: Reference) -> bool:
    """Whether inputs are written just before the call that is for them, so that no number of other slots need hide
    which ones will be asked for."""
    return reference.device == "cpu" and Layout(reference.input_leaves, (), 1, 0).input_slot_nbytes <= _SMALL_BYTES


def rotating_nbytes(reference: Reference, plan: Plan) -> int:
    """Bytes of inputs that pass through a cache before any come again. Where it is washed before each call, as if they
    were four caches: it need not give up first what was used longest ago, so that some may still lie there."""
    nbytes = plan.slots * Layout(reference.input_leaves, (), 1, 0).input_slot_nbytes
    if reference.device.startswith("cuda") and nbytes >= plan.slots * seal.WASHED_FROM:
        return max(nbytes, int(roofline.COLD_CACHES * seal.l2_nbytes(reference.device)))
    return nbytes


def layout(reference: Reference, plan: Plan) -> Layout:
    """Every contender's memory for timed calls."""
    return Layout(reference.input_leaves, reference.output_leaves, plan.slots, plan.calls)
