"""One set of inputs, and what must come of them as the reference and its oracle say; and by the first two whether the
task is sound.

NOT covered: which sets there are, and under which weights (preparation.py).
"""

from __future__ import annotations

import contextlib
import functools
import math
import re

import torch

from cuda_l1.correctness import buffers, digits, hygiene, narrow, refusals, sets, slices, verify, watch
from cuda_l1.correctness.reference import Reference
from cuda_l1.correctness.rehearsal import LostError
from cuda_l1.correctness.sets import InputSet
from cuda_l1.correctness.side import REQUEST_TIMEOUT_S
from cuda_l1.correctness.verify import WORST_ERROR
from cuda_l1.errors import TaskError
from cuda_l1.evidence.work import Work
from cuda_l1.inputs import operations
from cuda_l1.inputs.distributions import (
    APART,
    CROWDED,
    DOUBLED,
    FURTHEST,
    PADDED,
    RAISED,
    RENAMED,
    SHARED,
    split_kind,
)
from cuda_l1.inputs.fills import FILLS, NOTHING
from cuda_l1.inputs.groups import EMPTIED
from cuda_l1.inputs.hidden import HIDES
from cuda_l1.inputs.patterns import ONE_SIDED, ORDERED, SIDES
from cuda_l1.inputs.redrawn import LARGE, LARGEST
from cuda_l1.inputs.rounding import DIVISORS, FACTORS, FP16, LONG_SUMS, MOVED, MOVED_TWICE, TIES_APART
from cuda_l1.inputs.traits import is_continuous
from cuda_l1.types import Finding
from cuda_l1.wire.link import RefusalError, SlowWorkerError

_RUNS = 32
"""So many runs say whether a reference is random that gives a few numbers."""
_CHOSEN = 6
"""More draws, where one row of a few hundred that is chosen otherwise in float32 is a twentieth in the norm."""
_FAR_OFF, _MOST_FAR_OFF = 0.5, 0.1
"""In the norm, on values that a float16 does not hold: what passes, and what the rounding of factors may move."""
_FEW_FLIPS = 2.0**-10
"""Of integers that were rounded so many hang on last places."""
_OF_FLOAT64 = 1e-9
"""By more than this no order of sums moves what is computed in float64."""

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
    if coarse is None or not sets.are_meant(exact, ref.sets):
        return None
    errors += verify.compare_all(coarse, exact)
    return made if all(error.norm <= _MOST_FAR_OFF for error in errors) else None


def own_outputs(ref: Reference, which: int, inputs: torch.Tensor | None = None) -> list[torch.Tensor] | None:
    """The reference's under those weights on a row of inputs, or on the first set; None where it raises."""
    ref.lease.give_way()
    ref.verify_arena.rows[0].copy_(ref.sets[0].inputs if inputs is None else inputs)
    try:
        with ref.under(which):
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
    return any(bool((leaf == 0).any()) and not bool((its == 0).any()) for leaf, its in pairs)


def _made(ref: Reference, number: int, kind: str, which: int, *, stays: bool) -> InputSet | None:
    is_plain = kind == "own" and not which
    row = drawn(ref, kind).clone()
    if _may_end_it(ref, split_kind(kind)[0]):
        ref.rehearse(slot=0)
    if number == 0:
        ref.work = _work_of(ref)
        _relax(ref)
    own, exact, errors = _asked(ref, row)
    runs = _RUNS if hygiene.is_few(own, row) else _CHOSEN if operations.ranks(ref.text, ref.output_leaves) else 0
    for _ in range(runs if is_plain and not ref.noise else 0):  # what may vanish by chance
        if all(error.norm <= WORST_ERROR for error in errors):
            break
        row = drawn(ref, kind).clone()
        own, exact, errors = _asked(ref, row)
    inputs = ref.kept(row) if stays else row
    if number == 0:
        _judge_itself(ref, inputs, own, errors)
    if number == 1:
        _find_degenerate(ref, inputs, own, exact, errors)
    fits = is_plain or sets.are_meant(exact, ref.sets)
    if not is_plain and not (fits and all(e.norm <= WORST_ERROR for e in errors)):
        return None
    if split_kind(kind)[0] == NOTHING and not operations.keeps_size(ref.text) and sets.say_nothing(exact, ref.sets):
        return None
    is_large = kind.startswith(("large", "huge", "cubed", SIDES, *ORDERED)) or sets.WEIGHTS[which] in (LARGE, LARGEST)
    if is_large and ref.precision != ref.task.precision:
        return None  # TF32, which is allowed here, may err by more than the reference's own algorithm says
    if which in sets.EXTREME and not ref.has_oracle:
        if not any(leaf.torch_dtype.is_floating_point for leaf in ref.input_leaves):
            return None
        errors = _sensitivity(ref, inputs, own)
    bounds = [ref.bound(leaf, error) for leaf, error in zip(ref.output_leaves, errors, strict=True)]
    floors = [verify.floor(ref.precision, leaf.torch_dtype) for leaf in ref.output_leaves]
    if which in sets.EXTREME and bounds != floors:
        return None
    undecided = _undecided(ref, row, own)
    if not is_plain and any(each.norm > WORST_ERROR for each in undecided):
        return None
    bounds = narrow.widened(bounds, undecided)
    expected = list(map(ref.kept_exactly, exact)) if stays else exact
    made = InputSet(kind, number, which, inputs, expected, bounds)
    if not is_plain and _has_new_zeros(ref, row) and divides_by_zero(ref, made, exact):
        return None
    if split_kind(kind)[0] in ONE_SIDED and not digits.are_left(ref, made, exact):
        return None
    made = made._replace(watched=watch.watched(ref, made, own, exact))
    if which in sets.EXTREME:
        return made
    if sets.has_ties(kind, ref.text, ref.output_leaves):  # and no more of them in races, of which nobody asks that
        return made if stays and is_settled(ref, made) else None
    if kind != "own" and sets.is_promised(kind, ref.text):
        ref.other_bounds[kind] = [bound.beside(error) for bound, error in zip(bounds, errors, strict=True)]
        ref.watched_by_kind[kind] = made.watched
    elif kind == "own":
        seen_before = ref.watched_by_kind.setdefault(kind, made.watched)
        ref.watched_by_kind[kind] = list(map(slices.in_both, seen_before, made.watched))
        ref.error = verify.worst_of([ref.error, *errors])
    return made


def _may_end_it(ref: Reference, kind: str) -> bool:
    """Whether one of the inputs may be an index, of those that are larger in such a distribution, and all is not
    rehearsed as it is."""
    is_raised = kind.startswith((RAISED, DOUBLED, SHARED, CROWDED, EMPTIED, PADDED, RENAMED, APART, *HIDES))
    if ref.device == "cpu" or ref.care.rehearses or (kind not in FILLS and not is_raised):  # or there is no set yet
        return False
    leaves = (leaf for leaf in ref.leaves_of(ref.sets[0].inputs) if leaf.numel() and leaf.dtype is not torch.bool)
    return any(is_raised or int(leaf.long().max()) < 1 for leaf in leaves if not is_continuous(leaf))


def _asked(ref: Reference, row: torch.Tensor) -> tuple[list[torch.Tensor], list[torch.Tensor], list[verify.Errors]]:
    """What the reference gives on that row, which lies in its slot, and its oracle, and by how much they differ."""
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
    """Whether what a task that ranks chooses on that set is what float64 chooses where all that operations take is last
    places away, ties too: then no two of those that it may choose from are equal. Where nothing is ordered whole
    numbers stay, which may be cut off to integers, and a few of these may be others, as they may be on any set."""
    most, how = (0.0, TIES_APART) if operations.orders(ref.text) else (_FEW_FLIPS, LONG_SUMS)
    own = own_outputs(ref, made.weights, made.inputs) if ref.has_oracle else None
    for way in (MOVED, MOVED_TWICE) if own else ():
        found = ref.rounded(made, way, how)
        if found is None or not all(
            _are_near(out, exact if is_continuous(exact) else chosen, bound, most)
            for out, exact, chosen, bound in zip(found, made.expected, own or [], made.bounds, strict=True)
        ):
            return False
    return own is not None


def _sensitivity(ref: Reference, inputs: torch.Tensor, own: list[torch.Tensor]) -> list[verify.Errors]:
    """By how much the reference's outputs move where its inputs move by last places, which no float64 can say here."""
    moved = watch.outputs_on(ref, inputs, watch.moved(ref, inputs, -1, 1))
    return verify.compare_all(moved, own)


def _work_of(ref: Reference) -> Work | None:
    """Before there are sides that have the device's memory: the byte floor rests on it."""
    try:
        found = ref.process.request("examine", REQUEST_TIMEOUT_S, what="work", arena="verify", slot=0)["found"]
    except RefusalError as refusal:
        if refusals.wants_less(str(refusal)):
            raise
        return None
    return Work.model_validate(found)


def _relax(ref: Reference) -> None:
    """PyTorch's default lets cuDNN use TF32 and matrix products not: a task with a convolution or a recurrent
    layer may be computed either way, whichever algorithm the reference happened to get."""
    if ref.task.precision != "default" or not ref.device.startswith("cuda"):
        return
    if ref.work and (ref.work.flops["convolution"] or ref.work.is_recurrent):
        ref.precision = "tf32"
        detail = "cuDNN may use TF32 by PyTorch's default, so errors up to TF32's pass; --precision fp32 is strict"
        ref.notes.append(Finding(check="default_precision", detail=detail))


def _judge_itself(ref: Reference, inputs: torch.Tensor, own: list[torch.Tensor], errors: list[verify.Errors]) -> None:
    """TaskError for a reference without one answer; what differs between two runs is noted."""
    ref.error = verify.worst_of(errors)
    ref.noise = not ref.error.norm <= WORST_ERROR
    runs = _RUNS if hygiene.is_few(own, inputs) else 1  # what draws for a few numbers draws the same by chance
    again = (ref.own_outputs(inputs) for _ in range(runs))
    differs = max(errors.norm for out in again for errors in verify.compare_all(out, own))
    if not differs <= WORST_ERROR:
        raise TaskError(
            f"task {ref.task.name}: the reference differs from its own float64 oracle by {ref.error.norm:.2g}"
            f"{ref.error.worst and f' ({ref.error.worst})'} and from itself on the same input by {differs:.2g}: "
            f"{_why_it_differs(ref)}, so no candidate can be compared with it"
        )
    if differs > 0:
        detail = f"two runs of the reference on one input differ by {differs:.2g} in the norm"
        ref.notes.append(Finding(check="nondeterministic", detail=detail))


def find_history(ref: Reference) -> None:
    """TaskError for a reference that answers a call otherwise after one on other inputs, by what that left in it: there
    is no one answer that a candidate can be compared with. Asked after one call on the task's own values; where calls
    change its buffers, after one on each set, since values of another kind may be what it keeps."""
    if ref.noise:
        return
    _see_what_few_change(ref)
    first = ref.sets[0]  # its own bounds: what others' errors are, such a state may have made
    for made in ref.sets if ref.changes else ref.sets[1:2]:
        if ref.changes:
            ref.load_weights(0)
        watch.outputs_on(ref, first.inputs, made.inputs)
        out = ref.own_outputs(first.inputs)
        expected = [leaf.to(ref.device) for leaf in first.expected]
        if not verify.hold_but_for_edges(first.bounds, out, expected):
            raise TaskError(
                f"task {ref.task.name}: the reference answers a call otherwise after one on other inputs "
                f"({made.name}): it keeps a state, so no candidate can be compared with it; "
                "have it take that as an input and return it"
            )
    if ref.changes:
        ref.load_weights(0)


def _see_what_few_change(ref: Reference) -> None:
    """The largest number met, say, which a call on the task's own values may leave as another left it."""
    if not ref.watched_state:
        return
    for made in (each for each in ref.sets if each.kind in FURTHEST and not each.weights):
        ref.load_weights(0)
        was = buffers.now(ref, ref.watched_state)
        own_outputs(ref, 0, made.inputs)
        left = buffers.now(ref, ref.watched_state)
        ref.changes |= {name for name, value in left.items() if name not in was or not torch.equal(value, was[name])}
    ref.load_weights(0)
    ref.verify_arena.rows[0].copy_(ref.sets[0].inputs)


def _why_it_differs(ref: Reference) -> str:
    """The oracle is a copy of the module, made anew each time, so only what is random differs between two."""
    try:  # integers too, which are otherwise the module's own
        one, again = ref.ask_oracle(), (ref.ask_oracle() for _ in range(_RUNS))
        differs = max(errors.norm for out in again for errors in verify.compare_all(out, one))
    except RefusalError:
        return f"{hygiene.IS_RANDOM}, or {hygiene.HAS_STATE}"
    return hygiene.HAS_STATE if differs <= WORST_ERROR else hygiene.IS_RANDOM


def _find_degenerate(ref: Reference, inputs: torch.Tensor, own: list[torch.Tensor], second: list[torch.Tensor],
                     errors: list[verify.Errors]) -> None:  # fmt: skip
    if ref.noise:
        noisy = [n for n, each in enumerate(errors) if not each.norm <= WORST_ERROR]
        which = f"output {noisy[0]}" if noisy and len(second) > 1 else "the output"
        why = f"{which} is rounding noise: it differs from a float64 oracle by {ref.error.norm:.2g} of its norm"
        if ref.error.norm <= WORST_ERROR:
            why = f"the output is rounding noise: roundings to 16 bits move it by more than {WORST_ERROR} of its norm"
    elif (drawn_by := _differs_by_chance(ref, inputs, own, second)) > 0:
        why = f"the reference is random: two runs differ by {drawn_by:.2g}, so who draws nothing is right too"
    elif not inputs.numel():
        why = "no tensor among the inputs holds a number: any constant is as good"
    elif verify.same(inputs, ref.sets[0].inputs):
        said = "get_inputs gives the same values each time (have it draw others, under no seed of its own)"
        why = f"{said}: any constant is as good"
    else:
        dtypes = [leaf.torch_dtype for leaf in ref.output_leaves]
        ask = functools.partial(_exact_on, ref) if ref.room.keeps else None
        why = hygiene.why_degenerate(ref.sets[0], second, ref.precision, dtypes, ask, is_exact=ref.has_oracle)
        if why and ref.task.mode == "eval" and "BatchNorm" in ref.text:
            why = f"{why} (an untrained network whose norms are in eval mode lets little through: try --mode train)"
        elif why:
            trained = [each for each in ref.state if each not in ref.watched_state]
            why += hygiene.said_of_faint(buffers.now(ref, trained) if ref.room.keeps else {})
    ref.degenerate = bool(why)
    if why:
        ref.notes.append(Finding(check="degenerate_task", detail=f"{why}, so no speedup here is a win"))


def _differs_by_chance(
    ref: Reference, inputs: torch.Tensor, own: list[torch.Tensor], exact: list[torch.Tensor]
) -> float:
    """By how much it differs from itself by what it draws, and not by the order of its sums: in float64 too, of which
    the latter leaves nothing; without float64 by more than rounding may. 0 where two runs agree."""
    if not any(note.check == "nondeterministic" for note in ref.notes):
        return 0.0
    said = exact if ref.has_oracle else own
    least = [_OF_FLOAT64 if ref.has_oracle else verify.floor(ref.precision, leaf.dtype).norm for leaf in own]
    runs = range(_RUNS if hygiene.is_few(own, inputs) else 1)
    again = (ref.oracle_outputs(own) if ref.has_oracle else ref.own_outputs(inputs) for _ in runs)
    found = [verify.compare_all(out, said) for out in again]
    each = (pair for errors in found for pair in zip(errors, least, strict=True))
    return max(error.norm if error.norm > most else 0.0 for error, most in each)


def _exact_on(ref: Reference, kind: str) -> list[torch.Tensor] | None:
    """The oracle's outputs on a new draw of that kind, the reference's own where it has none."""
    row = drawn(ref, kind)
    with contextlib.suppress(RefusalError):
        return ref.ask_oracle() if ref.has_oracle else ref.own_outputs(row.clone())
    return None
