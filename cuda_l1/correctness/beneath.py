"""Whether an output that passes was computed below the contract all the same: a mean, a sum, or what stands beside it
may hide what coarser factors of products err by. That can be foretold, element by element, and what honest float32 code
errs by has nothing to do with it, however it sums.

NOT covered: outputs of fewer than 64 elements, factors that are multiplied one by one, what an attention in 16 bits
rounds within, tasks that hold 16-bit numbers or ask for them, where a candidate may round as it likes, degenerate ones,
and tasks whose sets of inputs have no room on the device.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import torch

from cuda_l1.correctness import making, narrow, verify
from cuda_l1.correctness.reference import Reference
from cuda_l1.correctness.sets import InputSet
from cuda_l1.inputs.rounding import BF16, FACTORS, FP16, MOVED_TF32, RESULTS_TOO, SECOND_ALONE
from cuda_l1.types import Precision

LEAST, WORSE = 1e-6, 4.0
"""In the norm, and so many times eager's own: less is what float32 errs by, and nobody is asked about it."""
BELOW: dict[Precision, tuple[str, ...]] = {"default": (BF16, FP16), "fp32": (BF16, FP16), "tf32": (BF16,)}
"""By contract: what is coarser than that. What is cut off errs by less of everything, as another formula may."""
_TOLD = (torch.float32, torch.float64, torch.complex64, torch.complex128)
"""Outputs of which something is told."""
_BY_CHANCE, _CLEARLY = 4, 2.0
"""So many times factors that are moved by chance are asked about, and an error that is those' by half as much has too
few numbers behind it to be anybody's."""


class Given(NamedTuple):
    """What was given on a set, by leaf, and by eager on the same."""

    made: InputSet
    out: Sequence[torch.Tensor]
    """Within its bounds."""
    own: Sequence[torch.Tensor]
    """Eager's."""
    errors: list[verify.Errors]
    eager: list[verify.Errors]

    def suspects(self, least: float = LEAST) -> list[int]:
        """Which leaves err by more than `least` in the norm, and than float32 does."""
        each = enumerate(zip(self.out, self.errors, self.eager, strict=True))
        return [
            leaf for leaf, (out, its, eager) in each if out.dtype in _TOLD and its.norm > max(least, WORSE * eager.norm)
        ]


def given(reference: Reference, made: InputSet, out: Sequence[torch.Tensor]) -> Given | None:
    """The same with what eager gives; None where it raises."""
    own = making.own_outputs(reference, made.weights, made.inputs)
    if own is None:
        return None
    return Given(made, out, own, verify.compare_all(out, made.expected), verify.compare_all(own, made.expected))


def all_given(reference: Reference, sets: Sequence[InputSet], outs: Sequence[Sequence[torch.Tensor]]) -> list[Given]:
    """That of several sets, but for those on which eager raises."""
    return [each for pair in zip(sets, outs, strict=True) if (each := given(reference, *pair)) is not None]


def evidence(reference: Reference, both: Sequence[Given]) -> str:
    """For a person: which output errs as coarser factors do, on every one of these sets; empty where none does, or
    nothing can be said. For tasks of which `is_asked`."""
    kinds = BELOW.get(reference.precision, ())
    if len(both) < 2:
        return ""
    found = set.intersection(*(set(each.suspects()) for each in both))
    for kind, some in itertools.product(kinds if found else (), (RESULTS_TOO, FACTORS, SECOND_ALONE)):
        if agree := _that_agree(reference, kind, some, both, sorted(found)):
            one, other = both[0].errors[agree[0]], both[0].eager[agree[0]]
            return (
                f"output {agree[0]} errs by {one.norm:.3g} in the norm where eager errs by {other.norm:.3g}, and "
                f"element by element as the reference does with {some} of products in {kind}"
            )
    return ""


def is_asked(reference: Reference) -> bool:
    """Whether anybody is asked by these means, which take several outputs more than the device may have room for. Not
    where every input gives one output: what that errs by, it errs by in the same places however it is computed."""
    is_below = reference.precision in BELOW and reference.has_oracle and not (reference.noise or reference.degenerate)
    return is_below and reference.room.keeps and not narrow.holds_16_bits(reference)


def _that_agree(reference: Reference, kind: str, some: str, both: Sequence[Given], leaves: list[int]) -> list[int]:
    """Those of the leaves that err on all sets as the reference does with these of its products in that format, and
    not as it does where they are moved by chance."""
    for made, out, *_ in both:
        rounded = reference.exact_of(made.inputs, made.weights, kind, some) if leaves else None
        if rounded is None:
            return []
        leaves = [leaf for leaf in leaves if verify.agrees(out[leaf], made.expected[leaf], rounded[leaf])]
        for _ in range(_BY_CHANCE if leaves else 0):
            moved = reference.exact_of(made.inputs, made.weights, MOVED_TF32, some)
            if moved is None:
                return []
            leaves = [leaf for leaf in leaves if _is_clear(out[leaf], made.expected[leaf], rounded[leaf], moved[leaf])]
    return leaves


def _is_clear(out: torch.Tensor, expected: torch.Tensor, rounded: torch.Tensor, moved: torch.Tensor) -> bool:
    by_chance = abs(verify.agreement(out, expected, moved, of_any_size=True))
    return verify.agreement(out, expected, rounded) > _CLEARLY * by_chance
