"""Which slices of an output, and of what a call leaves, are looked at by themselves: what could be anything under its
bound, and the reference has right.

NOT covered: what such slices are, and which are lost (slices.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from cuda_l1.correctness import buffers, narrow, refusals, slices, verify
from cuda_l1.correctness.reference import Reference
from cuda_l1.correctness.sets import EXTREME, InputSet
from cuda_l1.inputs.rounding import BF16, EITHER_SIDE, FP16, LONG_SUMS, MOVED, MOVED_TWICE, are_whole, rounded
from cuda_l1.wire.link import RefusalError

_LAST_PLACES = 2
"""How far a formula of another order may be from a number that the reference compares."""


def watched(
    ref: Reference, made: InputSet, own: Sequence[torch.Tensor], exact: Sequence[torch.Tensor]
) -> list[slices.Slices]:
    """By output leaf, on the inputs of that set, under whose weights the reference gives `own`, and float64 `exact`.
    Where float64 cannot be asked, what inputs that are moved by last places change is what the reference errs by."""
    nothing = [slices.none_of(leaf) for leaf in exact]
    if not ref.room.keeps:
        return nothing
    faint = list(map(slices.faint, exact, made.bounds))
    is_own = made.kind == "own" and made.weights not in EXTREME  # what these leave of a formula may be its end
    if not any(map(slices.any_of, faint)):
        return nothing
    near = own if ref.has_oracle else _outputs_near(ref, made.inputs, moved(ref, made.inputs, 1, 1))
    if near is None:
        return nothing
    found = [slices.watched(*leaf, all_sizes=is_own) for leaf in zip(near, exact, faint, strict=True)]
    if not any(map(slices.any_of, found)):
        return nothing
    if narrow.is_asked(ref) and (either := ref.rounded(made, "", EITHER_SIDE)) is not None:
        found = [slices.stable(*leaf) for leaf in zip(found, own, either, strict=True)]
    most = max(bound.norm for bound in made.bounds)
    kinds = [BF16 if most >= verify.floor("bf16", torch.float32).norm else FP16]
    if is_own and not made.weights and most < verify.floor("tf32", torch.float32).norm:
        kinds.append(MOVED_TWICE)  # two inputs may be near as they are drawn; TF32 may lose it, and not be used
    stay = nothing
    for kind in kinds:
        if all(torch.equal(*each) for leaf in zip(stay, found, strict=True) for each in zip(*leaf, strict=True)):
            break
        if (coarser := _coarser(ref, made, kind)) is not None:
            still = [slices.stable(*leaf) for leaf in zip(found, exact, coarser, strict=True)]
            stay = list(map(slices.in_either, stay, still))
    return stay if is_own else _beyond_rounding(ref, made, exact, stay)


def _beyond_rounding(
    ref: Reference, made: InputSet, exact: Sequence[torch.Tensor], some: list[slices.Slices]
) -> list[slices.Slices]:
    """Those that last places of all that operations take and give leave as they are: of inputs that are one
    number, as in silence, a cosine transform leaves what its table was rounded by, and who folds a factor into it has
    another."""
    if not ref.has_oracle or not any(map(slices.any_of, some)):
        return some
    near = ref.rounded(made, MOVED, LONG_SUMS)
    return some if near is None else [slices.stable(*leaf) for leaf in zip(some, exact, near, strict=True)]


def of_state(ref: Reference) -> dict[str, slices.Slices]:
    """By name, the same of what a call on the first set changes of its state. Nobody asks float64 what that leaves:
    what inputs that are moved by last places change of it is what the reference errs by."""
    left = {name: value for name, value in ref.lefts[0][1].items() if name in ref.changes}
    some = {name: slices.faint(value, verify.floor(ref.precision, value.dtype)) for name, value in left.items()}
    if not ref.room.keeps or not any(map(slices.any_of, some.values())):
        return {}
    inputs, kind = ref.sets[0].inputs, BF16 if ref.precision in ("bf16", "fp16") else FP16
    near, coarse = (left_on(ref, row) for row in (moved(ref, inputs, 1, 1), _coarse(ref, inputs, kind)))
    if not (near and coarse):
        return {}
    right = {name: slices.watched(near[name], left[name], faint) for name, faint in some.items()}
    return {name: slices.stable(each, left[name], coarse[name]) for name, each in right.items()}


def left_on(ref: Reference, row: torch.Tensor, *, which: int = 0) -> dict[str, torch.Tensor]:
    """Its state after a call on that row, under its own weights or those; nothing where it raises there: what it takes
    may end at one."""
    ref.verify_arena.rows[0].copy_(row)
    try:
        return buffers.after_a_call(ref, ref.weights, ref.seen_state, which=which)
    except RefusalError as refusal:
        ref.load_weights(0)
        if refusals.is_for_memory(refusal):
            raise
        return {}
    finally:
        ref.verify_arena.rows[0].copy_(ref.sets[0].inputs)


def state_lost(
    ref: Reference, own: dict[str, torch.Tensor], wanted: dict[str, torch.Tensor], *, of_race: bool = False
) -> str:
    """Which of these slices of a state that a call left, or those of a race, is not there, for a person; empty where
    all are. None that is not as small beside the rest as after one call: others are seen without that."""
    nearly = of_race and verify.floor(ref.precision, torch.float32) == verify.floor("fp32", torch.float32)
    for name in (each for each in ref.watched_left if each in own and each in wanted):
        watched = _still_faint(ref, name, wanted[name])
        if said := slices.lost(own[name], wanted[name], watched, nearly=nearly):
            return f"{name} is not what the reference makes of it: {said}"
    return ""


def _still_faint(ref: Reference, name: str, wanted: torch.Tensor) -> slices.Slices:
    some = slices.faint(wanted, verify.floor(ref.precision, wanted.dtype))
    return slices.watched(wanted, wanted, slices.in_both(ref.watched_left[name], some))


def _coarser(ref: Reference, made: InputSet, kind: str) -> list[torch.Tensor] | None:
    if ref.has_oracle:
        return ref.rounded(made, kind)
    return _outputs_near(ref, made.inputs, _coarse(ref, made.inputs, kind))


def _coarse(ref: Reference, inputs: torch.Tensor, kind: str) -> torch.Tensor:
    """A slot's row, its numbers rounded so."""
    row = inputs.to(ref.device, copy=True)
    for leaf in ref.numbers_of(row):
        leaf.copy_(rounded(leaf, kind))
    return row


def _outputs_near(ref: Reference, inputs: torch.Tensor, row: torch.Tensor) -> list[torch.Tensor] | None:
    """The reference's outputs on a row near those inputs; None where it raises there, see `left_on`."""
    try:
        return outputs_on(ref, inputs, row)
    except RefusalError as refusal:
        if refusals.is_for_memory(refusal):
            raise
        return None


def moved(ref: Reference, row: torch.Tensor, least: int, most: int) -> torch.Tensor:
    """A slot's row, its values so many pairs of last places away, but for what is drawn as whole numbers."""
    row = row.view(ref.verify_arena.rows.dtype).clone()
    own = ref.numbers_of(ref.sets[0].inputs if ref.sets else row)
    for leaf in (each for each, its in zip(ref.numbers_of(row), own, strict=True) if not are_whole(its)):
        places = torch.randint(least, most + 1, leaf.shape, device=leaf.device) * _LAST_PLACES
        leaf.mul_(1 + places * torch.finfo(leaf.dtype).eps)
    return row


def outputs_on(ref: Reference, inputs: torch.Tensor, row: torch.Tensor) -> list[torch.Tensor]:
    """The reference's outputs on a row, under weights as they are; the inputs lie there again then."""
    ref.verify_arena.rows[0].copy_(row)
    try:
        return ref.own_outputs(row)
    finally:
        ref.verify_arena.rows[0].copy_(inputs)
