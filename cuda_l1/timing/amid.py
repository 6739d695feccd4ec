"""How exact a candidate is amid the calls of a race: on sets that it has not met, in a turn like any other.

Who is asked for a set alone sees it, by the time that passed since the last call or by where its inputs lie, and could
compute that exactly and everything else in fewer bits.

NOT covered: tasks of which nobody is asked (beneath), those whose sets have no room on the device, of which there are
none that nobody has met (preparation), and what errs so in some calls alone.
"""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, NamedTuple

import torch

from cuda_l1.correctness import beneath, diagnosis, stepped, verify
from cuda_l1.correctness.beneath import Given
from cuda_l1.correctness.sets import SLOTS, InputSet
from cuda_l1.timing import intervals
from cuda_l1.timing.turns import IN_ORDER

if TYPE_CHECKING:
    from cuda_l1.correctness.contender import Contender
    from cuda_l1.timing.race import Race

_LEAST, _WORSE = 3e-6, 4.0
"""In the norm, and so many times what it errs by when it is asked alone: float32 may be added in another order."""


class Taken(NamedTuple):
    """What the candidate gave on a set."""

    made: InputSet
    outs: list[torch.Tensor]


def drawn(rng: random.Random, changes_at: int | None, weights: int) -> int:
    """Before which block: one at which all sides have the task's own weights, of index 0, where others of the two are
    theirs at first or from some block on."""
    first, last = 0, intervals.LEAST_BLOCKS
    if changes_at is not None:
        first, last = (changes_at, last) if weights else (0, changes_at)
    return rng.randrange(first, last)


def taken(race: Race) -> list[Taken]:
    """One turn of all sides that counts nothing (two where a turn is one call), in which two of the calls are on sets
    that nobody has met: drawn, laid and asked like any other. CandidateError for a wrong output of these."""
    ref = race.reference
    fresh = ref.later[:SLOTS]  # the last ones, which may be others, are for after the race
    if len(fresh) < 2 or race.weights or not (ref.input_leaves and beneath.is_asked(ref)):
        return []
    found: list[Taken] = []
    race.counts = False
    for some in [fresh] if race.calls > 1 else [[each] for each in fresh]:
        count = ref.random.randint(max(math.ceil(2 * race.calls / 3), len(some)), race.calls)
        first = min(1, count - len(some))  # which does not count
        places = ref.random.sample(range(first, count), len(some))
        put = {place: made.inputs for place, made in zip(places, some, strict=True)}
        slots = race.laid.renew(put=put)[:count]
        order = race.records[:: ref.random.choice((1, -1))]
        found += map(Taken, some, race.ask(order, slots, places, IN_ORDER))
    race.counts = True
    return found


def check(side: Contender, taken: list[Taken]) -> None:
    """CandidateError where it computed these below the contract, by its errors, or by less when it is asked alone."""
    ref = side.reference
    outs = [_but_for_edges(*each) for each in taken]
    given = beneath.all_given(ref, [each.made for each in taken], outs)
    if said := stepped.told(ref, given, side.answers):
        raise diagnosis.below(ref, f"{said}; in a race")
    if said := _more_than_alone(side, given):
        raise diagnosis.below(ref, said)


def _but_for_edges(made: InputSet, outs: list[torch.Tensor]) -> list[torch.Tensor]:
    """Those outputs, as expected where they are others and were right beside eager's: at an edge of the reference, by
    which nothing is told."""
    each = zip(outs, made.expected, made.bounds, strict=True)
    return [out if bound.holds(verify.compare(out, wanted)) else wanted for out, wanted, bound in each]


def _more_than_alone(side: Contender, given: list[Given]) -> str:
    """For a person: which output errs by more in a race than alone."""
    for each in given:
        suspects = each.suspects(_LEAST)
        alone = side.answers(each.made.inputs, each.made.weights) if suspects else []
        for leaf in suspects:
            norm, alone_norm = each.errors[leaf].norm, verify.compare(alone[leaf], each.made.expected[leaf]).norm
            if norm > _WORSE * alone_norm:
                return f"output {leaf} errs by {norm:.3g} in a race and by {alone_norm:.3g} when it is asked alone"
    return ""
