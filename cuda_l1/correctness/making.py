"""One set of inputs, and what must come of them as the reference and its oracle say.

NOT covered: which sets there are, and under which weights (preparation.py); what the first two say of the task
(soundness.py).
"""

from __future__ import annotations

import math
import re

import torch

from cuda_l1.correctness import digits, hygiene, meaning, narrow, refusals, sets, slices, soundness, verify, watch
from cuda_l1.correctness.reference import Reference
from cuda_l1.correctness.rehearsal import LostError
from cuda_l1.correctness.sets import InputSet
from cuda_l1.correctness.verify import WORST_ERROR
from cuda_l1.inputs import operations
from cuda_l1.inputs.distributions import (
    APART,
    CROWDED,
    DOUBLED,
    PADDED,
    RAISED,
    RENAMED,
    SHARED,
    split_kind,
)
from cuda_l1.inputs.fills import FILLS, NOTHING
from cuda_l1.inputs.groups import EMPTIED
from cuda_l1.inputs.hidden import HIDES
from cuda_l1.inputs.parts import has_placed_zeros
from cuda_l1.inputs.patterns import ONE_SIDED, ORDERED, SIDES
from cuda_l1.inputs.redrawn import LARGE, LARGEST
from cuda_l1.inputs.rounding import DIVISORS, FACTORS, FP16, LONG_SUMS, MOVED, MOVED_TWICE, TIES_APART
from cuda_l1.inputs.traits import is_continuous
from cuda_l1.inputs.trees import DEEP
from cuda_l1.wire.link import RefusalError, SlowWorkerError

_CHOSEN = 6
"""More draws, where one row of a few hundred that is chosen otherwise in float32 is a twentieth in the norm."""
_FAR_OFF, _MOST_FAR_OFF = 0.5, 0.1
"""In the norm, on values that a float16 does not hold: what passes, and what the rounding of factors may move."""
_FEW_FLIPS = 2.0**-10
"""Of integers that were rounded so many hang on last places."""

_DIVIDES = re.compile(r"/|\*\* ?-|\b(div|reciprocal|rsqrt|pow)")


def drawn(ref: Reference, kind: str) -> torch.Tensor:
    """Inputs of that kind, as bytes of the slot in which the reference is verified: they lie there until others do."""
    ref.draw("verify", [0], [kind])
    return ref.verify_arena.rows[0]


def make_set(ref: Reference, number: int, kind: str, which: int = 0, *, stays: bool = True) -> InputSet | None:
    """One set under `which` weights, where sets are kept if it `stays`, and what timed outputs on such values may
    differ by; None for values, or weights, that the reference is not meant for. LostError where it gives no answer."""
    if (kind, which) in ref.care.left_out:
        return None
    try:
        with ref.under(which):
            return _made(ref, number, kind, which, stays=stays)
    except SlowWorkerError as late:
        if not ref.sets or (kind == "own" and not which):
            raise
        raise LostError(ref.care._replace(left_out=(*ref.care.left_out, (kind, which)))) from late
    except RefusalError as refusal:  # it may raise where values are not what they should be
        if (kind == "own" and not which) or refusals.is_for_memory(refusal):
            raise
        return None


def make_far(ref: Reference, number: int) -> InputSet | None:
    """A set beyond what a float16 holds, where a task's precision allows what rounds as one and reaches further: there
    only what is no number, or of another size, is wrong, for such rounding may move a great deal. None where it does,
    or the reference is not meant for such values."""
    try:
        row = drawn(ref, "huge").clone()
        _, exact, errors = _asked(ref, row)
    except RefusalError as refusal:
        if refusals.is_for_memory(refusal):
            raise
        return None
    bounds, nothing = [verify.Bound(_FAR_OFF, math.inf) for _ in exact], [slices.none_of(leaf) for leaf in exact]
    made = InputSet("huge", number, 0, ref.kept(row), list(map(ref.kept_exactly, exact)), bounds, nothing)
    coarse = ref.rounded(made, FP16, FACTORS)
    if coarse is None or not meaning.are_meant(exact, ref.sets):
        return None
    errors += verify.compare_all(coarse, exact)
    return made if all(error.norm <= _MOST_FAR_OFF for error in errors) else None


def own_outputs(ref: Reference, which: int, inputs: torch.Tensor | None = None) -> list[torch.Tensor] | None:
    """The reference's under those weights on a row of inputs, or on the first set; None where it raises."""
    ref.lease.give_way()
    ref.verify_arena.rows[0].copy_(ref.sets[0].inputs if inputs is None else inputs)
    try:
        with ref.under(which):
            ref.begin_anew()
            ref.run("verify", [0], ref.config.build_timeout_s)
            return [leaf.clone() for leaf in ref.verify_arena.output(0)]
    except RefusalError as refusal:
        if refusals.is_for_memory(refusal):
            raise
        return None


def changes_inputs(ref: Reference, which: int, inputs: torch.Tensor) -> bool:
    """Whether the reference changes its inputs in place, on that row under those weights too: labels that few
    draws hold."""
    with ref.under(which):
        ref.verify_arena.rows[0].copy_(inputs)
        ref.own_outputs(inputs)
    return ref.mutates_inputs


def divides_by_zero(ref: Reference, made: InputSet, exact: list[torch.Tensor]) -> bool:
    """Whether outputs are others where zeros that are divided by are negative: what is finite behind that (a `tanh` of
    infinity) says nothing of who divides in another order, and comes to no number. Integers also where zero by zero is
    one: no number has no one place among them."""
    for way in (MOVED, MOVED_TWICE) if _DIVIDES.search(ref.text) and ref.has_oracle else ():
        asked = [n for n, true in enumerate(exact) if is_continuous(true) == (way == MOVED)]
        found = ref.rounded(made, way, DIVISORS) if asked else None
        if found and not all(_are_near(found[n], exact[n], made.bounds[n], _FEW_FLIPS) for n in asked):
            return True
    return False


def _are_near(out: torch.Tensor, exact: torch.Tensor, bound: verify.Bound, most: float) -> bool:
    """Whether numbers are within the bound, or no more than such a share of integers are others."""
    if is_continuous(exact):
        return bound.holds(verify.compare(out, exact))
    return int((out != exact.to(out.device)).sum()) <= most * exact.numel()


def _has_new_zeros(ref: Reference, row: torch.Tensor) -> bool:
    """Whether some numbers of these inputs are zero where none are in the task's own."""
    own = ref.numbers_of(ref.sets[0].inputs)
    pairs = zip(ref.numbers_of(row.view(ref.verify_arena.rows.dtype)), own, strict=True)
    return any(bool((leaf == 0).any()) and not has_placed_zeros(its) for leaf, its in pairs)


def _made(ref: Reference, number: int, kind: str, which: int, *, stays: bool) -> InputSet | None:
    is_plain = kind == "own" and not which
    row = drawn(ref, kind).clone()
    if _may_end_it(ref, split_kind(kind)[0]):
        ref.rehearse(slot=0)
    if number == 0:
        ref.work = soundness.work_of(ref)
        soundness.relax(ref)
    own, exact, errors = _asked(ref, row)
    ranks = operations.ranks(ref.text, ref.output_leaves)
    runs = soundness.RUNS if hygiene.is_few(own, row) else _CHOSEN if ranks else 0
    for _ in range(runs if is_plain and not ref.noise else 0):  # what may vanish by chance
        if all(error.norm <= WORST_ERROR for error in errors):
            break
        row = drawn(ref, kind).clone()
        own, exact, errors = _asked(ref, row)
    inputs = ref.kept(row) if stays else row
    if number == 0:
        soundness.judge_itself(ref, inputs, own, errors)
    if number == 1:
        soundness.find_degenerate(ref, inputs, own, exact, errors)
    fit = [True for _ in exact] if is_plain else _fit(ref, exact, errors)
    if meaning.left_open(fit, exact) is None or (sets.WEIGHTS[which] == "other" and not all(fit)):
        return None
    if _says_little(ref, kind, which, exact):
        return None
    if which in sets.EXTREME and not ref.has_oracle:
        if not any(leaf.torch_dtype.is_floating_point for leaf in ref.input_leaves):
            return None
        errors = _sensitivity(ref, inputs, own)
    bounds = [ref.bound(leaf, error) for leaf, error in zip(ref.output_leaves, errors, strict=True)]
    if which in sets.EXTREME:
        fit = [each and not more for each, more in zip(fit, _pass_more(ref, bounds), strict=True)]
    if (opened := meaning.left_open(fit, exact)) is None:
        return None
    undecided = _undecided(ref, row, own)
    if not is_plain and any(each.norm > WORST_ERROR for each in undecided):
        return None
    bounds = narrow.widened(bounds, undecided)
    expected = list(map(ref.kept_exactly, exact)) if stays else exact
    made = InputSet(kind, number, which, inputs, expected, bounds).leaving(opened)
    if not is_plain and _has_new_zeros(ref, row) and divides_by_zero(ref, made, exact):
        return None
    if split_kind(kind)[0] in ONE_SIDED and not digits.are_left(ref, made, exact):
        return None
    made = made._replace(watched=watch.watched(ref, made, own, exact)).leaving(opened)
    if which in sets.EXTREME:
        return made
    if sets.has_ties(kind, ref.text, ref.output_leaves):  # and no more of them in races, of which nobody asks that
        return where_settled(ref, made) if stays else None
    if kind != "own" and sets.is_promised(kind, ref.text):
        ref.other_bounds[kind] = [bound.beside(error) for bound, error in zip(made.bounds, errors, strict=True)]
        ref.watched_by_kind[kind] = made.watched
    elif kind == "own":
        seen_before = ref.watched_by_kind.setdefault(kind, made.watched)
        ref.watched_by_kind[kind] = list(map(slices.in_both, seen_before, made.watched))
        ref.error = verify.worst_of([ref.error, *errors])
    return made


def _says_little(ref: Reference, kind: str, which: int, exact: list[torch.Tensor]) -> bool:
    """Whether what comes of such values may be rounding alone, or TF32's, which is allowed and may err by more than the
    reference's own algorithm says."""
    if split_kind(kind)[0] == NOTHING and not operations.keeps_size(ref.text) and meaning.say_nothing(exact, ref.sets):
        return True
    is_large = kind.startswith(("large", "huge", "cubed", SIDES, *ORDERED)) or sets.WEIGHTS[which] in (LARGE, LARGEST)
    return is_large and ref.precision != ref.task.precision


def _fit(ref: Reference, exact: list[torch.Tensor], errors: list[verify.Errors]) -> list[bool]:
    """Which outputs can be compared there, for the reference has them nearly right."""
    meant = meaning.meant(exact, ref.sets)
    return [each and error.norm <= WORST_ERROR for each, error in zip(meant, errors, strict=True)]


def _pass_more(ref: Reference, bounds: list[verify.Bound]) -> list[bool]:
    """Which of them let pass more than a task's precision does, and than is let pass of its own values."""
    floors = [verify.floor(ref.precision, leaf.torch_dtype) for leaf in ref.output_leaves]
    least = [verify.widest([*pair]) for pair in zip(floors, ref.bounds or floors, strict=True)]
    return [each.norm > most.norm or each.element > most.element for each, most in zip(bounds, least, strict=True)]


def _may_end_it(ref: Reference, kind: str) -> bool:
    """Whether one of the inputs may be an index, of those that are larger in such a distribution, or lead further, and
    all is not rehearsed as it is."""
    is_raised = kind.startswith((RAISED, DOUBLED, SHARED, CROWDED, EMPTIED, PADDED, RENAMED, APART, DEEP, *HIDES))
    if ref.device == "cpu" or ref.care.rehearses or (kind not in FILLS and not is_raised):  # or there is no set yet
        return False
    leaves = (leaf for leaf in ref.leaves_of(ref.sets[0].inputs) if leaf.numel() and leaf.dtype is not torch.bool)
    return any(is_raised or int(leaf.long().max()) < 1 for leaf in leaves if not is_continuous(leaf))


def _asked(ref: Reference, row: torch.Tensor) -> tuple[list[torch.Tensor], list[torch.Tensor], list[verify.Errors]]:
    """What the reference gives on that row, which lies in its slot, and its oracle, and by how much they differ."""
    ref.begin_anew()
    own = ref.own_outputs(row)
    exact = ref.oracle_outputs(own)
    return own, exact, verify.compare_all(own, exact)


def _undecided(ref: Reference, row: torch.Tensor, own: list[torch.Tensor]) -> list[verify.Bound]:
    """What its 16-bit roundings leave undecided on that row. Who may be anything by them is noise."""
    if narrow.is_asked(ref):
        ref.verify_arena.rows[0].copy_(row)
    found = narrow.allowed(ref, own)
    ref.noise |= not ref.sets and any(each.norm > WORST_ERROR for each in found)
    return found


def is_settled(ref: Reference, made: InputSet) -> bool:
    """Whether all is that a task which ranks gives on that set."""
    return all(_settled(ref, made))


def where_settled(ref: Reference, made: InputSet) -> InputSet | None:
    """The set, what is not settled left open; None where no numbers are left."""
    opened = meaning.left_open(_settled(ref, made), made.expected)
    return None if opened is None else made.leaving(opened)


def _settled(ref: Reference, made: InputSet) -> list[bool]:
    """Which of the outputs of a task that ranks are what float64 gives where all that operations take is last places
    away, ties too: then no two of those that it may choose from are equal. Where nothing is ordered whole numbers stay,
    which may be cut off to integers, and a few of these may be others, as they may be on any set."""
    most, how = (0.0, TIES_APART) if operations.orders(ref.text) else (_FEW_FLIPS, LONG_SUMS)
    own = own_outputs(ref, made.weights, made.inputs) if ref.has_oracle else None
    fit = [own is not None for _ in made.expected]
    for way in (MOVED, MOVED_TWICE) if own else ():
        if not any(fit) or (found := ref.rounded(made, way, how)) is None:
            return [False for _ in fit]
        leaves = zip(fit, found, made.expected, own or [], made.bounds, strict=True)
        fit = [
            each and _are_near(out, exact if is_continuous(exact) else chosen, bound, most)
            for each, out, exact, chosen, bound in leaves
        ]
    return fit


def _sensitivity(ref: Reference, inputs: torch.Tensor, own: list[torch.Tensor]) -> list[verify.Errors]:
    """By how much the reference's outputs move where its inputs move by last places, which no float64 can say here."""
    moved = watch.outputs_on(ref, inputs, watch.moved(ref, inputs, -1, 1))
    return verify.compare_all(moved, own)
