"""Whether an output other than expected is right all the same: float64 is asked, and inputs a last place away.

NOT covered: tasks whose sets have no room on the device (`Room.keeps`): there an output at an edge is wrong.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import torch

from cuda_l1.correctness import digits, meaning, narrow, slices, verify, watch
from cuda_l1.correctness.reference import Reference
from cuda_l1.correctness.sets import EXTREME, WEIGHTS, InputSet
from cuda_l1.correctness.verify import WORST_ERROR
from cuda_l1.inputs import operations
from cuda_l1.inputs.redrawn import SMALL
from cuda_l1.inputs.rounding import (
    ALL_RESULTS,
    BY_CHANCE,
    EITHER_SIDE,
    EITHER_SIDE_FAR,
    LONG_SUMS,
    MOVED,
    MOVED_TF32,
    MOVED_TWICE,
    OF_FLOAT64,
    TIES_APART,
)
from cuda_l1.inputs.traits import is_continuous, with_arithmetic

_TAIL, _OF_MANY = 16, 64
"""Fewer values that are not zero, of so many times as many: what a relu leaves of a tail, whose rounding before it is
large beside what is left, and by how much the reference's own is says chance. So few values in all are the same where
they are sums whose terms cancel."""
_LAST_PLACES, _OF_RESULTS, _TRIES, _OF_CHOICES = 1e-6, 8, 6, 2
"""Some of float32's, of a number that terms as large are left of; so many times what it moves by, at most of so many
tries, where results of operations are a last place away; and where a task ranks of more tries, among which is one that
chooses otherwise: a number that comes of counts hangs on two codes that are equally near, as their indices do."""
_BY_CHANCE = 30
"""So many inputs, weights and results next to nothing away are asked about at most, for what is counted or chosen."""
_OFF = 3.0
"""So many times what eager's counts are off by, at most, where they are: one is off by chance as another is."""
_RARE = 1 / 16
"""Of an output's elements, at most: so many hang on what a reference chose."""
_OF_TF32 = 2
"""So many times what an output moves by where inputs and weights move by what TF32 rounds: what lies between them is
rounded as well."""
_OF_NEARBY = 64
"""So many times what such values move by where inputs move by a last place: a sum has many of them."""


class Held(NamedTuple):
    """What is held against a candidate: which of its outputs, and by how much that is off, for a person."""

    leaf: int
    missing: str


class Answer(NamedTuple):
    """One output for an input (bytes of a slot) under weights: which, as it was given and as it is exactly, and how far
    apart these may be."""

    row: torch.Tensor
    weights: int
    leaf: int
    out: torch.Tensor
    exact: torch.Tensor
    bound: verify.Bound


def held_against(
    reference: Reference,
    row: torch.Tensor,
    out: list[torch.Tensor],
    eager: list[torch.Tensor],
    weights: int,
    kind: str,
    differs: Held,
) -> Held | None:
    """The first output of which float64 on that input (bytes of a slot) says worse than of eager's, where eager's is to
    be trusted; None where it says so of none, though one `differs` from eager's. A first draw says little about all,
    and nothing under other weights: so ask."""
    row = row.view(reference.verify_arena.rows.dtype)
    exact = reference.exact_of(row, weights)
    if exact is None and reference.has_oracle:
        return differs if kind == "own" else None
    exact = list(map(with_arithmetic, eager)) if exact is None else exact  # where float64 cannot be asked
    fit = [True for _ in exact] if kind == "own" else meaning.meant(exact, reference.sets)
    if (opened := meaning.left_open(fit, exact)) is None:
        return None  # this draw is beyond what it is meant for, though others of the kind are not
    errors = verify.compare_all(eager, exact)
    bounds = [reference.bound(leaf, error) for leaf, error in zip(reference.output_leaves, errors, strict=True)]
    ask = functools.partial(reference.exact_of, row, weights, "", EITHER_SIDE)
    bounds = narrow.widened(bounds, narrow.allowed(reference, eager, ask))
    with reference.under(weights):
        watched = watch.watched(reference, InputSet(kind, 0, weights, row, exact, bounds), eager, exact)
    for index, (got, true) in enumerate(zip(out, exact, strict=True)):
        if opened[index]:
            continue
        if not errors[index].norm <= WORST_ERROR and not _may_flip(reference, eager[index], true):
            continue  # eager's leaf is not to be trusted there; the others are
        bound = bounds[index]
        if not errors[index].norm <= WORST_ERROR:  # it is, for counts: that one differs says nothing of how far
            bound = reference.bound(reference.output_leaves[index], verify.EXACT)
            if _distance(got, true) <= _OFF * _distance(eager[index], true):
                continue
        off, answer = verify.compare(got, true), Answer(row, weights, index, got, true, bound)
        if not bound.holds(off) and not undecided(reference, answer):
            return Held(index, bound.missed_by(off))
        if missing := lost(reference, answer, watched[index]):
            return Held(index, missing)
    return None


def lost(reference: Reference, answer: Answer, watched: slices.Slices) -> str:
    """As `slices.lost` says, unless a task that ranks chooses otherwise there for inputs, weights or results a last
    place away: that a row's two best are as near is not known of each row beforehand."""
    exact = answer.exact
    missing = slices.lost(answer.out, exact, watched)
    if not missing or not operations.orders(reference.text) or not _are_rare(answer):
        return missing
    return missing if all(slices.lost(each, exact, watched) for each in _moved_by_chance(reference, answer)) else ""


def undecided(reference: Reference, answer: Answer) -> bool:
    """Whether an output is right for inputs a last place away: at an edge of the reference, where it compares or
    rounds to integers, float64 decides nothing, and either side is right; nor does it of what is left of a tail, or of
    a few sums whose terms cancel. Where TF32 may be used, and the whole is right, a last place is one of TF32's: terms
    that cancel err by what is large beside what is left."""
    out, exact, bound = answer.out, answer.exact, answer.bound
    if not is_continuous(exact):
        return reference.room.keeps and _are_flips(reference, answer)
    is_tail = exact.numel() > _OF_MANY * _TAIL and int(torch.count_nonzero(exact)) < _TAIL
    is_few = exact.numel() <= _TAIL
    is_wide = bound.norm < verify.floor(reference.precision, torch.float32).norm  # held to float64, not to float32
    if is_few and not is_wide and reference.room.keeps and _is_nothing(reference, answer):
        return True
    error = verify.compare(out, exact).norm
    if not reference.room.keeps:  # what is expected lies on the host, and nothing is asked of what is off
        return is_tail and error <= WORST_ERROR
    if not error <= WORST_ERROR and not _are_rare(answer):  # one row of 500 that is chosen is 6% in the norm
        return False
    coarse = reference.precision != reference.task.precision and error <= bound.norm
    nearby: Iterable[torch.Tensor] = _spread(reference, answer, coarse=coarse)
    most = 0.0
    if (is_tail or is_few) and error <= WORST_ERROR:  # what is chosen moves far, and says nothing of what cancels
        nearby = list(nearby)
        most = max((float((each - exact).abs().max()) for each in nearby), default=0.0)
    if most and float((out.to(exact.dtype) - exact).abs().max()) <= _OF_NEARBY * most:
        return True
    if is_tail:
        return False
    out = verify.moved_into(out, exact, nearby)
    if bound.holds(verify.compare(out, exact)):
        return True
    may_cancel = operations.inverts(reference.text)  # a system nearly singular makes much of how it was rounded
    answer = answer._replace(out=out)
    if not may_cancel and not _are_rare(answer):
        return False
    return any(bound.holds(verify.compare(each, exact)) for each in _moved_by_chance(reference, answer))


def _are_flips(reference: Reference, answer: Answer) -> bool:
    """Whether what differs of integers and flags is what rounding may change: each is among what the reference gives
    where inputs, weights and results are off by as much, or a count within twice the range of these. How far from a
    comparison a value lies only the flips say, and where many flip by chance no one run gives the same sum."""
    row, weights, index, out, exact, bound = answer
    if not _may_flip(reference, out, exact):
        return False
    is_whole = min(verify.compare(out, exact).norm, _share(out, exact)) <= bound.norm
    coarse = reference.precision != reference.task.precision and is_whole
    left, off = out != exact, _off(out, exact)
    least = most = torch.zeros_like(off)
    for found in itertools.chain(_nearby(reference, row, weights, coarse=coarse), _by_chance(reference, row, weights)):
        other = found[index]
        left &= other != out
        if exact.dtype is not torch.bool:
            away = _off(other, exact)
            least, most = torch.minimum(least, away), torch.maximum(most, away)
            left &= (2 * off - least - most).abs() > 2 * (most - least)
        if not bool(left.any()):
            return True
    return False


def _may_flip(reference: Reference, out: torch.Tensor, exact: torch.Tensor) -> bool:
    """Whether integers or flags differ by no more than a few that flip: few of them do, or counts of many by little.
    Among equal values places are a free choice of who sorts, however little they differ by."""
    if is_continuous(exact):
        return False
    if verify.compare(out, exact).norm <= WORST_ERROR or int((out != exact).sum()) <= max(1, _RARE * out.numel()):
        return True
    is_order = exact.numel() > _OF_MANY and operations.orders(reference.text)
    return exact.dtype is not torch.bool and not is_order and _share(out, exact) <= WORST_ERROR


def _share(out: torch.Tensor, exact: torch.Tensor) -> float:
    """How far integers are off, of how large they are."""
    size = float(torch.linalg.vector_norm(exact.to(torch.float64)))
    return _distance(out, exact) / size if size else math.inf


def _distance(out: torch.Tensor, exact: torch.Tensor) -> float:
    return float(torch.linalg.vector_norm(_off(out, exact)))


def _off(out: torch.Tensor, exact: torch.Tensor) -> torch.Tensor:
    """By how much, which float64 holds where it may not hold what differs."""
    return (out.to(torch.int64) - exact.to(torch.int64)).to(torch.float64)


def _is_nothing(reference: Reference, answer: Answer) -> bool:
    """Whether a few numbers are off by what float32 makes of what they are left of, however much of them that is: by
    last places of what the output is on the task's own values, or would be on inputs as large; or by what it moves by
    where the results of all operations are a last place away, and may choose otherwise for that. A loss that vanishes
    says no more, as it does under small weights; under other extreme ones what is left may be the end of a formula."""
    row, weights, index, out, exact, _ = answer
    out, finite = out.to(exact.dtype), torch.isfinite(exact)
    off = float(torch.where((out == exact) | (out.isnan() & exact.isnan()), 0, (out - exact).abs()).max())
    if not math.isfinite(off) or not bool(finite.any()):
        return False
    may_vanish = weights not in EXTREME or WEIGHTS[weights] == SMALL
    if may_vanish and off <= _LAST_PLACES * _usual_size(reference, row, index):
        return True
    row = row.view(reference.verify_arena.rows.dtype)
    most = 0.0
    for turn in range(_BY_CHANCE if operations.orders(reference.text) else _TRIES):  # a try is as dear as the task
        if (found := reference.exact_of(row, weights, MOVED_TWICE, ALL_RESULTS)) is None:
            return False
        most = max(most, float((found[index] - exact)[finite].abs().max()))
        if off <= (_OF_RESULTS if turn < _TRIES else _OF_CHOICES) * most:
            return True
    return False


def _usual_size(reference: Reference, row: torch.Tensor, index: int) -> float:
    """What an output is on the task's own values, at most of some draws, times what inputs are beside those."""
    own = [each for each in (*reference.sets, *reference.later) if each.kind == "own" and not each.weights]
    sizes = [_rms_of([each.expected[index]]) for each in own]
    before, now = (_rms_of(reference.numbers_of(each)) for each in (own[0].inputs, row))
    times = now / before if before else 1.0
    return max(sizes) * (times if times > 1 else math.sqrt(times))  # what is normalised is no smaller


def _rms_of(leaves: list[torch.Tensor]) -> float:
    values = torch.cat([verify.wide(leaf).reshape(-1) for leaf in leaves]) if leaves else torch.empty(0)
    return verify.rms_of(values, values.device)


def _are_rare(answer: Answer) -> bool:
    """Whether but for few elements the output is right: of two that are best by a last place, which one was chosen?
    What follows a value that is rounded to integers moves a whole row by less than an element may be off."""
    *_, out, exact, bound = answer
    off = verify.are_off(out, exact, bound.norm)
    is_rare = int(off.sum()) <= _RARE * off.numel()
    return is_rare and bound.holds(verify.compare(torch.where(off, exact, out.to(exact.dtype)), exact))


def _spread(reference: Reference, answer: Answer, *, coarse: bool) -> Iterator[torch.Tensor]:
    """That output of the reference for inputs a last place away, of a `coarse` one for what TF32 leaves of inputs and
    weights."""
    exact = answer.exact
    for found in _nearby(reference, answer.row, answer.weights, coarse=coarse):
        if coarse and is_continuous(exact):
            off = _OF_TF32 * (found[answer.leaf] - exact)
            yield exact + off
            yield exact - off
        else:
            yield found[answer.leaf]


def _nearby(reference: Reference, row: torch.Tensor, weights: int, *, coarse: bool) -> Iterator[list[torch.Tensor]]:
    """The reference's outputs for inputs a last place away: all larger, all smaller, and each by chance. Of TF32's last
    places all by chance, and weights too."""
    for least, most in ((1, 1), (-1, -1), (-1, 1), (-1, 1), (-1, 1), (-1, 1)):
        moved = row.view(reference.verify_arena.rows.dtype) if coarse else watch.moved(reference, row, least, most)
        if (found := reference.exact_of(moved, weights, MOVED_TF32 if coarse else None)) is not None:
            yield found


def _moved_by_chance(reference: Reference, answer: Answer) -> Iterator[torch.Tensor]:
    """That output moved into what `_by_chance` gives, of ever more of it."""
    out = answer.out
    for found in _by_chance(reference, answer.row, answer.weights):
        out = verify.moved_into(out, answer.exact, [found[answer.leaf]])
        yield out


def _by_chance(reference: Reference, row: torch.Tensor, weights: int) -> Iterator[list[torch.Tensor]]:
    """The same for inputs and weights a last place away, by chance, or for the results of all operations two of them,
    and the terms of long sums as many as another order of them may: which of two codes as near comes first hangs on
    more roundings than the inputs' own, and what those move averages out over a long sum. Where a task rounds to 16
    bits most hangs on these."""
    row = row.view(reference.verify_arena.rows.dtype)
    of = OF_FLOAT64 if digits.is_double(reference) else ""
    for turn in range(_BY_CHANCE):
        how: tuple[str, ...] = (MOVED_TWICE + of, LONG_SUMS) if turn % 3 else (MOVED + of,)
        if narrow.is_asked(reference) and (turn % 2 or not reference.has_oracle):
            how = ("", EITHER_SIDE_FAR)
        if (found := reference.exact_of(row, weights, *how)) is None:
            return
        yield found
        may_tie = turn % 2 and not of and operations.orders(reference.text)  # shares that float32 rounds to zero
        if may_tie and (found := reference.exact_of(row, weights, BY_CHANCE, TIES_APART)) is not None:
            yield found
