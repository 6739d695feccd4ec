"""What a session asks the reference before any candidate comes: input sets with what must come of them, what timed
outputs may differ by on each distribution, whether there are other weights, and whether the task is sound.

NOT covered: how the reference is asked (reference.py), and which distributions there are (sets.py, values.py).
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import os
import re
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

import torch

from cuda_l1.errors import TaskError
from cuda_l1.judge import hygiene, refusals, sets, slices, verify
from cuda_l1.judge.process import RefusedError
from cuda_l1.judge.redrawn import ALONE, BOLD, BOLDEST, CAUTIOUS, LARGE, PERMUTED, SCALED, SMALL
from cuda_l1.judge.sets import InputSet
from cuda_l1.judge.side import REQUEST_TIMEOUT_S, Held
from cuda_l1.judge.values import FILLS, RAISED, SPECIAL, of_input, split_kind
from cuda_l1.judge.verify import WORST_ERROR
from cuda_l1.types import Finding

if TYPE_CHECKING:
    from cuda_l1.judge.reference import Reference

_MOST_WRITTEN = 8
"""Outputs of a task that are written to."""
_MOST_KEPT = 8
"""Tensors that are tried as the one that stays as it is."""
_TRIES = 3
"""Draws of weights under which a recurrence remembers, until the reference errs by little under some."""
_CHANGED = re.compile("float|complex|bool|int8")
"""Kinds of weights that others have other values of."""
_MEET_S = 2.0
"""For distributions of which no set is kept."""


def prepare(ref: Reference, kinds: list[str], large: list[str]) -> None:
    """Make sets of these kinds, and meet those too large for one. TaskError for a reference without one answer."""
    for number, kind in enumerate(kinds):
        if kind == "own":
            own = _make_heavy(ref, number) if number == ref.own_sets else _make_set(ref, number, kind)
            ref.sets += [own] if own is not None else []
        else:
            made = _make_of(ref, number, kind)
            ref.sets += made[:1] if large else made  # the others come in races
    ref.bounds = [verify.widest([s.bounds[i] for s in ref.sets if s.kind == "own"])
                   for i in range(len(ref.output_leaves))]  # fmt: skip
    if ref.has_other_weights and not (ref.noise or large):
        _make_extreme(ref, len(kinds))
    if ref.has_other_weights and not ref.noise:
        _make_parts(
            ref, len(kinds) + len(sets.EXTREME), 1 if large or ref.state_nbytes > sets.PARTS_BYTES else sets.PARTS
        )
    ref.writable = _writable(ref) if not ref.mutates_inputs and len(ref.output_leaves) <= _MOST_WRITTEN else []
    _meet(ref, large, len(kinds))
    if ref.has_other_weights:
        drop_refused(ref, 1, ((kind, _drawn(ref, kind)) for kind in list(ref.other_bounds)))
    ref.verify_arena.rows[0].copy_(ref.sets[0].inputs)


def drop_refused(ref: Reference, weights: int, rows: Iterable[tuple[str, torch.Tensor]]) -> bool:
    """Have races draw no more of a distribution on one of whose `rows` (inputs of that kind) the reference raises under
    the weights of that index. Whether there is one."""
    before = len(ref.other_bounds)
    ref.load_weights(weights)
    for kind, row in rows:
        ref.verify_arena.rows[0].copy_(row)
        try:
            ref.run("verify", [0], ref.config.build_timeout_s)
        except RefusedError as refusal:
            if refusals.is_for_memory(refusal):
                raise
            ref.other_bounds.pop(kind, None)
    ref.load_weights(0)
    ref.verify_arena.rows[0].copy_(ref.sets[0].inputs)
    return len(ref.other_bounds) < before


def _drawn(ref: Reference, kind: str) -> torch.Tensor:
    ref.draw("verify", [0], [kind])
    return ref.verify_arena.rows[0]


def _make_heavy(ref: Reference, number: int) -> InputSet | None:
    """The set under other weights, the boldest that the reference is meant for; shares that must sum to one may be the
    only ones that cannot change."""
    names = [name for name, _, _ in ref.state]
    kept = ref.random.sample(names, min(_MOST_KEPT, len(names))) if len(names) > 1 else []
    hows = [(how, "") for how in (BOLDEST, BOLD, CAUTIOUS, PERMUTED, SCALED)]
    tame: tuple[InputSet, Held, tuple[str, str]] | None = None
    for how, but in [*hows, *((CAUTIOUS, name) for name in kept)]:
        ref.weights[1], ref.others = ref.save_weights(how, but), (how, but)
        made = _make_set(ref, number, "own", 1)
        if made and _says_more(ref):
            if tame:
                os.close(tame[1].fd)
            return made
        held = ref.weights.pop(1)
        if made and not tame:
            tame = made, held, (how, but)
        else:
            os.close(held.fd)
    if tame:
        made, ref.weights[1], ref.others = tame
        detail = "outputs are the same under all others that were tried: who folds them once is not seen"
        ref.notes.append(Finding(check="weights", detail=detail))
        return made
    ref.has_other_weights = False
    detail = "the reference is not sound under any others that were tried: who folds them once is not seen"
    ref.notes.append(Finding(check="weights", detail=detail))
    return None


def _says_more(ref: Reference) -> bool:
    """Whether outputs under the other weights are others: not so for a multiple of what is divided by its norm."""
    first, out = ref.sets[0], _own_outputs(ref, 1)
    return out is None or not _all_hold([bound.beside(ref.error) for bound in first.bounds], out, first.expected)


def _make_of(ref: Reference, number: int, kind: str) -> list[InputSet]:
    """Sets of a distribution: of all inputs, or of some alone, which another's domain is no reason against, or of what
    is tried instead. Inputs that are equal as they are drawn are not, where one is negated."""

    def whole() -> list[InputSet]:
        made = _make_set(ref, number, kind)
        return [made] if made else []

    alone = functools.partial(_make_alone, ref, number, kind)
    found = alone() or whole() if kind == "negated" else whole() or alone()
    return found or [made for other in sets.instead(kind) if (made := _make_set(ref, number, other))]


def _make_alone(ref: Reference, number: int, kind: str) -> list[InputSet]:
    """A set on which one input alone is of a distribution that all of them may not be of; of signs one for each."""
    several = [index for index, leaf in enumerate(ref.input_leaves) if leaf.torch_dtype.is_floating_point]
    if kind in (*SPECIAL, *FILLS) or split_kind(kind)[1] is not None or len(several) < 2:
        return []
    tried = (_make_set(ref, number, of_input(kind, index)) for index in ref.random.sample(several, len(several)))
    return list(itertools.islice(filter(None, tried), sets.SEVERAL if kind == "signs" else 1))


def _make_extreme(ref: Reference, number: int) -> None:
    """Sets under far, steep and large weights, unless the reference errs under them by more than passes anyway: for a
    recurrence other such are drawn then."""
    recurs, ranks = sets.recurs(ref.task.source), sets.ranks(ref.task.source, ref.output_leaves)
    is_small = ref.state_nbytes <= sets.EXTREME_BYTES
    for which, kind in sets.EXTREME.items():
        is_for_recurrences = recurs and sets.WEIGHTS[which] not in (LARGE, SMALL)
        if not is_for_recurrences and (ranks or not is_small):
            continue
        for _ in range(_TRIES if is_for_recurrences else 1):
            ref.weights[which] = ref.save_weights(sets.WEIGHTS[which])
            if made := _make_set(ref, number, kind, which):
                ref.sets.append(made)
                ref.extreme.append(which)
                number += 1
                break
            os.close(ref.weights.pop(which).fd)


def _make_parts(ref: Reference, number: int, most: int) -> None:
    """Sets on the first one's inputs, under its own weights but for some tensors: the boldest that these may be, for
    what is no weight of theirs may be why all weights together are tamer."""
    names = [name for name, _, dtype in ref.state if _CHANGED.search(dtype)]
    for some in sets.parts(names, ref.random)[:most]:
        tried = {ALONE: some, BOLDEST: some, ref.others[0]: [name for name in some if name != ref.others[1]]}
        for how, those in tried.items():
            made = _make_part(ref, number, how, those) if those else None
            if made:
                ref.parts.append(made)
                number += 1
                break


def _make_part(ref: Reference, number: int, how: str, names: list[str]) -> InputSet | None:
    """One of them; None for what the reference is not meant for, or errs under by more than under its own weights."""
    first, bounds = ref.sets[0], ref.timed_bounds("own")
    which = max(len(sets.WEIGHTS), *(1 + each for each in ref.weights))
    ref.weights[which] = ref.save_weights(how, names=names)
    out = _own_outputs(ref, which)
    if out is not None and sets.are_meant(out, first.expected) and not _all_hold(bounds, out, first.expected):
        exact = ref.exact_of(first.inputs, which) if how != ref.others[0] and ref.has_oracle else None
        strict = [verify.Bound(bound.norm / 3, bound.element / 3) for bound in ref.bounds]  # a candidate errs too
        if exact is None or _all_hold(strict, out, exact):
            return InputSet("own", number, which, first.inputs, list(map(ref.kept, out)), bounds)
    os.close(ref.weights.pop(which).fd)
    return None


def _own_outputs(ref: Reference, which: int) -> list[torch.Tensor] | None:
    """The reference's on the first set under those weights; None where it raises."""
    ref.give_way()
    ref.verify_arena.rows[0].copy_(ref.sets[0].inputs)
    try:
        ref.load_weights(which)
        ref.run("verify", [0], ref.config.build_timeout_s)
        return [leaf.clone() for leaf in ref.verify_arena.output(0)]
    except RefusedError as refusal:
        if refusals.is_for_memory(refusal):
            raise
        return None
    finally:
        ref.load_weights(0)


def _all_hold(bounds: list[verify.Bound], out: list[torch.Tensor], expected: list[torch.Tensor]) -> bool:
    return all(bound.holds(verify.compare(*pair)) for bound, *pair in zip(bounds, out, expected, strict=True))


def _writable(ref: Reference) -> list[int]:
    """Outputs that somebody may write to, one at a time, and the others, and the next ones, are right all the same: no
    weight that is returned, and no view."""
    return [leaf for leaf in range(len(ref.output_leaves)) if _is_writable(ref, leaf)]


def _is_writable(ref: Reference, leaf: int) -> bool:
    def is_right(position: int) -> bool:
        return _all_hold(ref.timed_bounds("own"), list(ref.verify_arena.output(position)), ref.sets[0].expected)

    ref.verify_arena.rows[0].copy_(ref.sets[0].inputs)
    ref.synchronize()
    try:
        ref.run("verify", [0, 0], ref.config.build_timeout_s, writes=[leaf])
        if not is_right(1):
            return False
        ref.run("verify", [0], ref.config.build_timeout_s)
        return is_right(0)
    except RefusedError as refusal:
        if refusals.is_for_memory(refusal):
            raise
        return False
    finally:
        if ref.state:
            ref.load_weights(0)


def _make_set(ref: Reference, number: int, kind: str, which: int = 0, *, stays: bool = True) -> InputSet | None:
    """One set under `which` weights, where sets are kept if it `stays`, and what timed outputs on such values may
    differ by; None for values, or weights, that the reference is not meant for."""
    ref.give_way()
    try:
        return _made(ref, number, kind, which, stays=stays)
    except RefusedError as refusal:  # it may raise where values are not what they should be
        if (kind == "own" and not which) or refusals.is_for_memory(refusal):
            raise
        return None
    finally:
        if which:
            ref.load_weights(0)


def _made(ref: Reference, number: int, kind: str, which: int, *, stays: bool) -> InputSet | None:
    drawn = _drawn(ref, kind).clone()
    if ref.device != "cpu" and _may_index(ref, split_kind(kind)[0]):
        ref.process.request("rehearse", REQUEST_TIMEOUT_S)
    inputs = ref.kept(drawn) if stays else drawn
    if number == 0:
        ref.work = ref.ask_work()
        ref.relax()
    if which:
        ref.load_weights(which)
    own = ref.own_outputs(inputs)
    exact = ref.oracle_outputs(own)
    errors = [verify.compare(o, e) for o, e in zip(own, exact, strict=True)]
    if number == 0:
        _judge_itself(ref, inputs, own, errors)
    if number == 1:
        _find_degenerate(ref, exact)
    is_plain = kind == "own" and not which
    fits = is_plain or sets.are_meant(exact, ref.sets[0].expected)
    if not is_plain and not (fits and all(e.norm <= WORST_ERROR for e in errors)):
        return None
    is_large = split_kind(kind)[0] in ("large", "huge", "cubed") or sets.WEIGHTS[which] == LARGE
    if is_large and ref.precision != ref.task.precision:
        return None  # TF32, which is allowed here, may err by more than the reference's own algorithm says
    if which in sets.EXTREME and not ref.has_oracle:
        errors = _sensitivity(ref, inputs, own)
    bounds = [ref.bound(leaf, error) for leaf, error in zip(ref.output_leaves, errors, strict=True)]
    expected = list(map(ref.kept_exactly, exact)) if stays else exact
    made = InputSet(kind, number, which, inputs, expected, bounds)
    made = made._replace(watched=ref.watched(made, own, exact))
    if which in sets.EXTREME:
        floors = [verify.floor(ref.precision, leaf.torch_dtype) for leaf in ref.output_leaves]
        return made if bounds == floors else None
    if kind != "own" and sets.is_promised(kind, ref.task.source):
        ref.other_bounds[kind] = [bound.beside(error) for bound, error in zip(bounds, errors, strict=True)]
        ref.watched_by_kind[kind] = made.watched
    elif kind == "own":
        seen_before = ref.watched_by_kind.setdefault(kind, made.watched)
        ref.watched_by_kind[kind] = list(map(slices.in_both, seen_before, made.watched))
        ref.error = verify.worst_of([ref.error, *errors])
    return made


def _sensitivity(ref: Reference, inputs: torch.Tensor, own: list[torch.Tensor]) -> list[verify.Errors]:
    """By how much the reference's outputs move where its inputs move by last places, which no float64 can say here."""
    ref.verify_arena.rows[0].copy_(nearby := ref.moved(inputs, -1, 1))
    moved = ref.own_outputs(nearby)
    ref.verify_arena.rows[0].copy_(inputs)
    return [verify.compare(*pair) for pair in zip(moved, own, strict=True)]


def _may_index(ref: Reference, kind: str) -> bool:
    """Whether one of the inputs may be an index, of those that are larger in such a distribution."""
    if kind not in (*FILLS, RAISED):
        return False
    least = math.inf if kind == RAISED else 1
    return any(_is_integer(leaf) and int(leaf.max()) < least for leaf in ref.leaves_of(ref.sets[0].inputs))


def _is_integer(leaf: torch.Tensor) -> bool:
    return not verify.is_continuous(leaf) and leaf.dtype is not torch.bool and leaf.numel() > 0


def _meet(ref: Reference, large: list[str], number: int) -> None:
    """Learn what timed outputs may differ by on distributions that no set is kept of: candidates meet them in races
    alone. As many, in a drawn order after signs, which say most, as a few seconds allow, and none where edges cannot be
    told from errors."""
    until = time.monotonic() + (_MEET_S if ref.room.keeps else 0.0)
    for kind in sorted(ref.random.sample(large, len(large)), key=lambda kind: kind != "signs"):
        if sets.is_promised(kind, ref.task.source) and time.monotonic() < until:
            _make_set(ref, number, kind, stays=False)
    if large:
        met = [kind for kind in large if kind in ref.other_bounds]
        left = [kind for kind in large if kind not in met]
        said = [f"too large to verify on {', '.join(large)}"]
        said += [f"met while timed: {', '.join(met)}"] if met else []
        said += [f"not tried, or the reference is not meant for it: {', '.join(left)}"] if left else []
        ref.notes.append(Finding(check="distributions", detail="; ".join(said)))


def _judge_itself(ref: Reference, inputs: torch.Tensor, own: list[torch.Tensor], errors: list[verify.Errors]) -> None:
    """TaskError for a reference without one answer; what differs between two runs is noted."""
    ref.error = verify.worst_of(errors)
    ref.noise = not ref.error.norm <= WORST_ERROR
    again = [verify.compare(a, o) for a, o in zip(ref.own_outputs(inputs), own, strict=True)]
    differs = max(e.norm for e in again)
    if ref.noise and not differs <= WORST_ERROR:
        raise TaskError(
            f"task {ref.task.name}: the reference differs from its own float64 oracle by {ref.error.norm:.2g} "
            f"({ref.error.worst}) and from itself on the same input: {_why_it_differs(ref, own)}, so no "
            "candidate can be compared with it"
        )
    if differs > 0:
        detail = f"two runs of the reference on one input differ by {differs:.2g} in the norm"
        ref.notes.append(Finding(check="nondeterministic", detail=detail))


def _why_it_differs(ref: Reference, own: list[torch.Tensor]) -> str:
    """The oracle is a copy of the module, made anew each time, so only what is random differs between two."""
    one, two = ref.oracle_outputs(own), ref.oracle_outputs(own)
    differs = max(verify.compare(b, a).norm for a, b in zip(one, two, strict=True))
    if differs <= WORST_ERROR:
        return "it keeps a state from one call to the next (a hidden state in an attribute?) and has no one answer"
    return "it is random (dropout in train mode?)"


def _find_degenerate(ref: Reference, second: list[torch.Tensor]) -> None:
    if ref.noise:
        why = f"the output is rounding noise: it differs from a float64 oracle by {ref.error.norm:.2g} of its norm"
    else:
        dtypes = [leaf.torch_dtype for leaf in ref.output_leaves]
        near_one = functools.partial(_near_one, ref) if ref.room.keeps and ref.has_oracle else None
        why = hygiene.why_degenerate(ref.sets[0], second, ref.precision, dtypes, near_one)
    ref.degenerate = bool(why)
    if why:
        ref.notes.append(Finding(check="degenerate_task", detail=f"{why}, so no speedup here is a win"))


def _near_one(ref: Reference) -> list[torch.Tensor] | None:
    _drawn(ref, "near_one")
    with contextlib.suppress(RefusedError):
        return ref.ask_oracle()
    return None
