"""What a session asks the reference before any candidate comes: input sets with what must come of them, what timed
outputs may differ by on each distribution, whether there are other weights, and whether the task is sound.

NOT covered: how the reference is asked (reference.py), and which distributions there are (sets.py, values.py).
"""

from __future__ import annotations

import contextlib
import functools
import os
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

import torch

from cuda_l1.errors import TaskError
from cuda_l1.judge import hygiene, refusals, sets, slices, verify
from cuda_l1.judge.process import RefusedError
from cuda_l1.judge.sets import InputSet
from cuda_l1.judge.values import BOLD, CAUTIOUS, FAR, FILLED, SCALED, SPECIAL, STEEP, is_uniform, of_input, split_kind
from cuda_l1.judge.verify import WORST_ERROR
from cuda_l1.types import Finding

if TYPE_CHECKING:
    from cuda_l1.judge.reference import Reference

_MOST_KEPT = 8
"""Tensors that are tried as the one that stays as it is."""
_MEET_S = 2.0
"""For distributions of which no set is kept."""


def prepare(ref: Reference, kinds: list[str], large: list[str]) -> None:
    """Make sets of these kinds, and meet those too large for one. TaskError for a reference without one answer."""
    for number, kind in enumerate(kinds):
        if kind == "own" and number == ref.own_sets:
            made = _make_heavy(ref, number)
        elif kind == "negated":  # inputs that are equal as they are drawn are not under this one
            made = _make_alone(ref, number, kind) or _make_set(ref, number, kind)
        else:
            made = _make_set(ref, number, kind) or _make_alone(ref, number, kind)
        ref.sets += [made] if made is not None else []
    ref.bounds = [verify.widest([s.bounds[i] for s in ref.sets if s.kind == "own"])
                   for i in range(len(ref.output_leaves))]  # fmt: skip
    if ref.has_other_weights and ref.has_oracle and not (ref.noise or large) and sets.recurs(ref.task.source):
        _make_remembering(ref, len(kinds))
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
    for how, but in [(BOLD, ""), (CAUTIOUS, ""), (SCALED, ""), *((CAUTIOUS, name) for name in kept)]:
        ref.weights.append(ref.save_weights(how, but))
        if made := _make_set(ref, number, "own", 1):
            return made
        os.close(ref.weights.pop())
    ref.has_other_weights = False
    detail = "the reference is not sound under any others that were tried: who folds them once is not seen"
    ref.notes.append(Finding(check="weights", detail=detail))
    return None


def _make_alone(ref: Reference, number: int, kind: str) -> InputSet | None:
    """A set on which one input alone is of a distribution that all of them may not be of: another's domain is no reason
    for this one."""
    several = [index for index, leaf in enumerate(ref.input_leaves) if leaf.torch_dtype.is_floating_point]
    if kind in ("own", *SPECIAL) or len(several) < 2:
        return None
    tried = (_make_set(ref, number, of_input(kind, index)) for index in ref.random.sample(several, len(several)))
    return next((made for made in tried if made), None)


def _make_remembering(ref: Reference, number: int) -> None:
    """Sets under far and steep weights, unless the reference errs under them by more than passes anyway."""
    ref.weights += [ref.save_weights(FAR), ref.save_weights(STEEP)]
    for which, kind in sets.REMEMBERING.items():
        if made := _make_set(ref, number, kind, which):
            ref.sets.append(made)
            ref.remembering.append(which)
            number += 1


def _make_set(ref: Reference, number: int, kind: str, which: int = 0, *, stays: bool = True) -> InputSet | None:
    """One set under `which` weights, where sets are kept if it `stays`, and what timed outputs on such values may
    differ by; None for values, or weights, that the reference is not meant for."""
    if split_kind(kind)[0] == FILLED and not any(map(is_uniform, ref.leaves_of(ref.sets[0].inputs))):
        return None
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
    if split_kind(kind)[0] in ("large", "huge", "cubed") and ref.precision != ref.task.precision:
        return None  # TF32, which is allowed here, may err by more than the reference's own algorithm says
    bounds = [ref.bound(leaf, error) for leaf, error in zip(ref.output_leaves, errors, strict=True)]
    expected = list(map(ref.kept_exactly, exact)) if stays else exact
    made = InputSet(kind, number, which, inputs, expected, bounds)
    made = made._replace(watched=ref.watched(made, own, exact))
    if which in sets.REMEMBERING:
        floors = [verify.floor(ref.precision, leaf.torch_dtype) for leaf in ref.output_leaves]
        return made if bounds == floors else None
    if kind not in ("own", *SPECIAL):
        ref.other_bounds[kind] = [bound.beside(error) for bound, error in zip(bounds, errors, strict=True)]
        ref.watched_by_kind[kind] = made.watched
    elif kind == "own":
        seen_before = ref.watched_by_kind.setdefault(kind, made.watched)
        ref.watched_by_kind[kind] = list(map(slices.in_both, seen_before, made.watched))
        ref.error = verify.worst_of([ref.error, *errors])
    return made


def _meet(ref: Reference, large: list[str], number: int) -> None:
    """Learn what timed outputs may differ by on distributions that no set is kept of: candidates meet them in races
    alone. As many, in a drawn order, as a few seconds allow, and none where edges cannot be told from errors."""
    until = time.monotonic() + (_MEET_S if ref.room.keeps else 0.0)
    for kind in ref.random.sample(large, len(large)):
        if kind not in SPECIAL and time.monotonic() < until:
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
