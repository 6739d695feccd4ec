"""Which slices of an output are looked at by themselves: what could be anything under its bound, and the reference has
right.

NOT covered: what such slices are, and which are lost (slices.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from cuda_l1.correctness import narrow, refusals, slices, verify
from cuda_l1.correctness.reference import Reference
from cuda_l1.correctness.sets import EXTREME, InputSet
from cuda_l1.inputs.rounding import BF16, EITHER_SIDE, FP16, MOVED_TWICE, are_whole, rounded
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
    return stay


def _coarser(ref: Reference, made: InputSet, kind: str) -> list[torch.Tensor] | None:
    if ref.has_oracle:
        return ref.rounded(made, kind)
    row = made.inputs.to(ref.device, copy=True)
    for leaf in ref.numbers_of(row):
        leaf.copy_(rounded(leaf, kind))
    return _outputs_near(ref, made.inputs, row)


def _outputs_near(ref: Reference, inputs: torch.Tensor, row: torch.Tensor) -> list[torch.Tensor] | None:
    """The reference's outputs on a row near those inputs; None where it raises there: what it takes may end at one."""
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
