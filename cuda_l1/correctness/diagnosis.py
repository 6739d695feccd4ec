"""What a wrong output is called: another set's answer, that of weights before, a coarser precision's, or just wrong.

NOT covered: whether it is wrong (verify.py, edges.py).
"""

from __future__ import annotations

import torch

from cuda_l1.correctness import edges, making, refusals, verify
from cuda_l1.correctness.reference import Reference
from cuda_l1.correctness.refusals import CandidateError
from cuda_l1.correctness.sets import EXTREME, InputSet
from cuda_l1.evidence import signals
from cuda_l1.inputs.rounding import ROUNDINGS
from cuda_l1.types import Status


def wrong(
    ref: Reference, code: str, wanted: InputSet, held: edges.Held, out: torch.Tensor, errors: verify.Errors
) -> CandidateError:
    """What there is to say of one output of that code on that set, which misses what is `wanted` of it."""
    leaf, missing = held
    is_few = int((out != 0).sum()) < 8  # one number is by chance
    for other in [] if is_few or ref.degenerate or wanted.is_part else ref.sets:
        if other is not wanted and other.is_answered_by(leaf, out, errors):
            detail = f"output {leaf} for {wanted.name} is the answer to {other.name}, which was given before"
            return CandidateError(Status.REJECTED, "replayed_output", detail)
    measured = f"output {leaf}, {wanted.name}: {missing}"
    saved = refusals.of_buffers([name for name, *_ in ref.watched_state])
    if wanted.weights and _is_stale(ref, wanted, leaf, out):
        detail = f"the answer is that of the weights before: {measured}{saved}"
        return CandidateError(Status.REJECTED, "stale_weights", detail)
    is_plain = wanted.kind in ("own", "signs") and out.dtype.is_floating_point
    if is_plain and verify.is_rounding(errors) and (coarser := _coarser(ref, wanted, leaf, out, errors)):
        return below(ref, f"{coarser}; {measured}")
    flags = _loose_flags(code) if wanted.kind != "own" or wanted.weights in EXTREME else ""
    is_kept = (wanted.weights == 1 or wanted.is_part) and not verify.is_rounding(errors)
    kept = refusals.KEPT + saved if is_kept else ""
    return CandidateError(Status.WRONG_OUTPUT, "error", measured + kept + flags)


def below(ref: Reference, why: str) -> CandidateError:
    """For what computes below a task's precision, as that evidence says."""
    detail = f"computes below the task's precision ({ref.task.precision}): {why}"
    return CandidateError(Status.REJECTED, "precision", detail)


def _loose_flags(code: str) -> str:
    """What may be why values far from the task's own come out wrong: a compiler's leave to change results."""
    found = next((each for each in signals.read(code) if each.name == "fast_math"), None)
    return f"; line {found.line}: {found.sentence}, and such values show it: build without that" if found else ""


def _coarser(ref: Reference, wanted: InputSet, leaf: int, out: torch.Tensor, errors: verify.Errors) -> str:
    """The evidence that the errors are a coarser precision's; empty where there is none, and another formula is as
    likely."""
    expected = wanted.expected[leaf]
    if (kind := verify.held_in(out, expected, errors)) is not None:
        return f"all its values are {str(kind).removeprefix('torch.')}'s"
    for name in ROUNDINGS:
        rounded = ref.rounded(wanted, name)
        if rounded is not None and verify.agrees(out, expected, rounded[leaf]):
            return f"it errs as the reference does with inputs and weights in {name}"
    return ""


def _is_stale(ref: Reference, wanted: InputSet, leaf: int, out: torch.Tensor) -> bool:
    """Whether the reference under weights that were loaded before gives this output."""
    bound = wanted.bounds[leaf]
    before = (which for which in ref.weights if which < wanted.weights)
    given = (making.own_outputs(ref, which, wanted.inputs) for which in before)
    holds = any(own is not None and bound.holds(verify.compare(out, own[leaf])) for own in given)
    ref.verify_arena.rows[0].copy_(ref.sets[0].inputs)
    return holds
