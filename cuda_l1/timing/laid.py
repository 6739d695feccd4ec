"""The inputs of a race's blocks: drawn anew for each, some of other distributions, in places that nobody knows.

On a GPU those of later calls lie sealed in every side's memory; the largest are laid out once a turn has begun, for
its one call. On a CPU they are written there just before the call that is for them, so that later ones are nowhere.
"""

from __future__ import annotations

import math
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType

import torch

from cuda_l1.correctness import verify
from cuda_l1.correctness.contender import Contender
from cuda_l1.correctness.reference import Reference
from cuda_l1.correctness.refusals import CandidateError
from cuda_l1.inputs.distributions import FURTHEST, beyond, split_kind
from cuda_l1.inputs.fills import FILLS, NOTHING
from cuda_l1.processes.process import honest
from cuda_l1.timing.plan import SMALL_BYTES, Plan
from cuda_l1.types import Status
from cuda_l1.wire import seal
from cuda_l1.wire.link import nothing

UNENDING = "what it starts in its calls cannot be ended between turns: leave no process behind"
_OTHERS, _OTHERS_OF_FEW = 0.25, 0.5
"""Share of inputs that are of other distributions, in every block: were they in some alone, its first inputs would tell
which. Medians over calls are hardly moved by what is as rare. The second where a block has one or two: of a dozen
blocks every distribution should have its turn."""


class How(StrEnum):
    """How inputs lie that are asked for later."""

    SEALED = "in every side's memory, under keys"
    LATE = "nowhere until the turn of their one call has begun"
    ON_CALL = "nowhere until their call"
    NOWHERE = "in no memory: there are none that are tensors with a number in them"


def how(reference: Reference, plan: Plan) -> How:
    """That of a task's."""
    if not any(leaf.nbytes for leaf in reference.input_leaves):
        return How.NOWHERE
    if reference.device.startswith("cuda"):
        return How.LATE if plan.slots == 1 else How.SEALED
    return How.ON_CALL


def deck(kinds: Sequence[str], rng: random.Random, before: Sequence[str] = ()) -> list[str]:
    """The distributions in the order in which they are dealt, last first: at random, but what is filled comes among
    the first third. Of a dozen calls of two dozen distributions none would be filled in one race of eight. Dealt
    `before`, each third comes in another order, so that nothing is away for long."""
    if sorted(before) == sorted(kinds):
        few = math.ceil(len(before) / 3)
        thirds = [before[first : first + few] for first in range(0, len(before), few or 1)]
        return [kind for third in thirds for kind in rng.sample(third, len(third))]
    drawn = rng.sample(kinds, len(kinds))
    filled = [kind for kind in drawn if split_kind(kind)[0] in FILLS]
    rest = [kind for kind in drawn if kind not in filled]
    soon = rest[: max(len(kinds) // 3 - len(filled), 0)]
    return [*rest[len(soon) :], *rng.sample([*soon, *filled], len(soon) + len(filled))]


class Laid:
    """What lies in the slots of all sides, or will once it is asked for."""

    def __init__(self, reference: Reference, plan: Plan, sides: Sequence[Contender], cores: int) -> None:
        self._reference, self._slots, self._sides = reference, plan.slots, sides
        self._count = plan.turns_laid * plan.calls
        self._how = how(reference, plan)
        self._draws = reference.draws(self._count + (self._how in (How.SEALED, How.ON_CALL)))
        self.slot_nbytes = self._draws.layout.input_slot_nbytes
        """Of one input slot."""
        self._stops = self._how is How.ON_CALL and self.slot_nbytes > SMALL_BYTES and cores > 1
        """Whether a side is stopped while inputs are written: on another core than ours a thread of its own could work
        on what is there already. On ours it would take the time to write them, which a turn counts."""
        self._pad = None
        if self._how is How.SEALED:
            self._pad = seal.Pad(self.slot_nbytes, reference.device, washes=False)
        self._order: list[str] = []
        self._deck: list[str] = []
        self._owed: dict[int, str] = {}
        """By slot, what was dealt and is not compared yet."""
        self._further = Counter[str]()
        self.rows = self._draws.rows
        """By slot, the inputs' bytes, and where others' lie nowhere or sealed a row more, for which no side has a slot;
        until the next are drawn, in this race or another. Where they lie nowhere only what is asked for has any."""
        self.asked: list[int] = []
        """Slots that inputs are drawn for, in the order of the calls."""
        self.kinds: dict[int, str] = {}
        """By slot that may be asked for, of which distribution."""
        self._keys: dict[int, int] = {}

    def renew(self, kind: str = "", put: Mapping[int, torch.Tensor] = MappingProxyType({})) -> list[int]:
        """Draw new inputs, of that kind alone if one is given, but for those that are `put` in their place, by number
        of the call, of the task's own values; which slots are to be asked for, in order."""
        reference, slots = self._reference, self._slots
        count = self._count
        rng = random.Random(reference.random.getrandbits(64))
        self._deck.extend(self._owed.values())
        self._owed = {}
        if not kind:
            share = _OTHERS if count > 2 else _OTHERS_OF_FEW
            drawn_as = [self._dealt() if rng.random() < share else "own" for _ in range(count)]
        else:
            drawn_as = [kind if kind in reference.other_bounds else "own"] * count
        if any(side.loaded for side in self._sides):  # there the reference may be a constant, and exact by luck alone
            drawn_as = ["own" if split_kind(each)[0] == NOTHING else each for each in drawn_as]
        further = drawn_as
        if kind in FURTHEST and drawn_as[0] == kind:
            self._further[kind] += 1
            further = [beyond(kind, self._further[kind])] * count
        every = [*further, *("own" for _ in range(self._draws.layout.input_slots - count))]
        honest(lambda: reference.draw("draws", list(range(len(every))), every))
        self.rows = drawn = self._draws.rows
        self.asked = reference.random.sample(range(slots), count)
        for number, row in put.items():  # before anything is written to a side: what is written last shows in a cache
            at = self.asked[number] if slots == count else number
            drawn[at].copy_(row)
            drawn_as[at] = "own"
        if slots == count:
            self.kinds = dict(enumerate(drawn_as))
        else:
            self.kinds = dict(zip(self.asked, drawn_as, strict=True))
            self.rows = drawn.new_empty(slots + 1, drawn.shape[1])
            self.rows[torch.tensor([*self.asked, *range(slots, slots + len(drawn) - count)])] = drawn
        if not kind:
            self._owed = {slot: each for slot, each in self.kinds.items() if slot in self.asked and each != "own"}
        self.seal(self._sides)
        return self.asked

    def compared(self, slot: int) -> None:
        """Its inputs were asked for, and what came of them is compared: their distribution has had its turn."""
        self._owed.pop(slot, None)

    def seal(self, sides: Sequence[Contender]) -> None:
        """Into the memory of these sides, under new keys, where inputs are sealed."""
        if self._pad is None:
            return
        for slot in self.asked:
            self._keys[slot] = 1 + self._reference.random.getrandbits(62)
            sealed = self._pad.stream(self._keys[slot], self.rows.shape[1]).bitwise_xor_(self.rows[slot])
            for side in sides:
                side.time_arena.rows[slot].copy_(sealed)

    def lay_late(self, side: Contender) -> None:
        """Into the memory of a side that is stopped and has taken note that its turn began: what is too large to be
        sealed, which work on nobody's clock could be done for."""
        if self._how is How.LATE:
            side.time_arena.rows.copy_(self.rows)
            side.synchronize()

    def show(self, side: Contender) -> None:
        """To that side what lies sealed in its memory; it is asked for without keys then."""
        if self._pad is not None:
            self._keys.clear()
            side.time_arena.rows.copy_(self.rows[: self._slots])
            side.synchronize()

    def is_as_laid(self, side: Contender, slots: list[int]) -> bool:
        """Whether the inputs in those slots of a side's memory are as they were drawn."""
        its, original = side.time_arena.rows, self.rows
        if not self._reference.device.startswith("cuda") or len(original) == 1:  # no copies of what is large
            return all(verify.same(its[slot], original[slot]) for slot in slots)
        index = torch.tensor(slots, device=original.device)
        return torch.equal(its[index], original[index])

    def other(self, slot: int) -> int:
        """Whose inputs may lie in a slot when its call is over: a row that nobody is asked for, where the others are
        sealed and may still be asked for, or lie nowhere."""
        return self._slots if self._how in (How.SEALED, How.ON_CALL) else (slot + 1) % self._slots

    def ask(
        self, side: Contender, slot: int, timeout_s: float, meanwhile: Callable[[], object] = nothing
    ) -> tuple[float, float]:
        """Have it take up the inputs of that slot; microseconds until it had, and those that it was stopped for."""
        took_us = side.process.command(slot, timeout_s, self._keys.get(slot, 0), meanwhile)
        began = time.perf_counter_ns()
        if self._stops and not side.process.stop_alone():
            raise CandidateError(Status.REJECTED, "ran_while_stopped", UNENDING)
        if self._how is How.ON_CALL:
            side.time_arena.rows[slot].copy_(self.rows[slot])
        if not self._stops:
            return took_us, 0.0
        stopped_us = (time.perf_counter_ns() - began) / 1e3  # whoever comes before us as it goes on is on its own time
        side.process.resume()
        return took_us, stopped_us

    def _dealt(self) -> str:
        """One of the other distributions: each is compared once before any is again, for where a turn is one call there
        are few in a race."""
        if not self._deck:
            self._order = deck(list(self._reference.other_bounds), self._reference.random, self._order)
            self._deck = list(self._order)
        return self._deck.pop() if self._deck else "own"
