"""How exact a candidate is amid the calls of a race: on sets that it has not met, in a turn like any other.

Who is asked for a set alone sees it, by the time that passed since the last call or by where its inputs lie, and could
compute that exactly and everything else in fewer bits.

NOT covered: tasks of which nobody is asked (beneath), and what errs so in some calls alone.
"""

from __future__ import annotations

import functools
import math
import random
from typing import TYPE_CHECKING, NamedTuple

import torch

from cuda_l1.judge import beneath, stepped, timing, verify
from cuda_l1.judge.process import honest
from cuda_l1.judge.sets import InputSet
from cuda_l1.judge.turns import IN_ORDER

if TYPE_CHECKING:
    from cuda_l1.judge.contender import Contender
    from cuda_l1.judge.race import Race

_LEAST, _WORSE = 3e-6, 4.0
"""In the norm, and so many times what it errs by when it is asked alone: float32 may be added in another order."""


class Taken(NamedTuple):
    """What the candidate gave on a set."""

    made: InputSet
    outs: list[torch.Tensor]


def drawn(rng: random.Random, changes_at: int | None, weights: int) -> int:
    """Before which block: one at which all sides have the task's own weights, of index 0, where others of the two are
    theirs at first or from some block on."""
    first, last = 0, timing.LEAST_BLOCKS
    if changes_at is not None:
        first, last = (changes_at, last) if weights else (0, changes_at)
    return rng.randrange(first, last)


def taken(race: Race) -> list[Taken]:
    """One turn of all sides that counts nothing (two where a turn is one call), in which two of the calls are on sets
    that nobody has met."""
    ref = race.reference
    if len(ref.later) < 2 or race.weights or not (ref.input_leaves and beneath.is_asked(ref)):
        return []
    found: list[Taken] = []
    race.counts = False
    for some in [ref.later] if race.calls > 1 else [[each] for each in ref.later]:
        slots = race.laid.renew()[: ref.random.randint(max(math.ceil(2 * race.calls / 3), len(some)), race.calls)]
        first = min(1, len(slots) - len(some))  # which does not count
        places = ref.random.sample(range(first, len(slots)), len(some))
        for place, made in zip(places, some, strict=True):
            race.laid.put(slots[place], made.inputs)
        for record in race.records:
            record.side.time_arena.poison()
            record.side.synchronize()
            turn = functools.partial(race.turn, record, slots, places, None, IN_ORDER)
            took = turn() if record is race.own else honest(turn)
            found += map(Taken, some, took) if record is race.own else ()
    race.counts = True
    return found


def check(side: Contender, given: list[Taken]) -> None:
    """CandidateError where it computed these below the contract, by its errors, or by less when it is asked alone."""
    ref = side.reference
    if not given or not all(_is_right(*each) for each in given):  # what is wrong is found by what is compared
        return
    made, outs = [each.made for each in given], [each.outs for each in given]
    if found := stepped.found(ref, made, outs, side.answers):
        raise side.below(f"{found}; in a race")
    if said := _more_than_alone(side, given):
        raise side.below(said)


def _is_right(made: InputSet, outs: list[torch.Tensor]) -> bool:
    return all(
        bound.holds(verify.compare(*leaf)) for *leaf, bound in zip(outs, made.expected, made.bounds, strict=True)
    )


def _more_than_alone(side: Contender, given: list[Taken]) -> str:
    """For a person: which output errs by more in a race than alone."""
    for made, outs in given:
        found = beneath.given(side.reference, made, outs)
        suspects = found.suspects(_LEAST) if found else []
        alone = side.answers(made.inputs, made.weights) if suspects else []
        for leaf in suspects:
            norm, alone_norm = (verify.compare(out[leaf], made.expected[leaf]).norm for out in (outs, alone))
            if norm > _WORSE * alone_norm:
                return f"output {leaf} errs by {norm:.3g} in a race and by {alone_norm:.3g} when it is asked alone"
    return ""
