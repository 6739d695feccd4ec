"""Whether an output that passes errs in steps: as much, and the same, where inputs and weights move by last places, and
otherwise where they move by little. Factors in fewer bits do so, however they are scaled or rounded; another formula
errs the same in both, and what float32 rounds errs otherwise in both.

NOT covered: tasks that hold 16-bit numbers or ask for them (beneath.py), and outputs of fewer than 64 elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from cuda_l1.judge import beneath, making, verify
from cuda_l1.judge.beneath import WORSE, is_asked
from cuda_l1.judge.redrawn import CLOSE, CLOSER
from cuda_l1.judge.reference import Reference
from cuda_l1.judge.sets import InputSet

Answers = Callable[[torch.Tensor, int], list[torch.Tensor]]
"""A candidate's outputs on a row of inputs under weights of that index."""
_ASKED = ("default", "fp32")
"""TF32 takes factors in steps too."""
_SAME, _OTHER = 0.7, 0.5
"""Errors agree by so much at least where what is given is next to nothing away, and by so much at most where it is
farther."""
_LITTLE = 0.5
"""Of what an output differs by from one item to the next: a formula's errors may be others where it moved by more."""
_FAR = (2.0**-5, 2.0**-7)
_NEAR, _TRIES = 2.0**-13, 4
"""Farther than what two 16-bit numbers leave out of a float32, or a long sum of its terms, and tried so many times: not
all calls need err."""
_LEAST, _OF_SUMS = 3e-6, 3.5e-8
"""In the norm, and so many times the root of the longest sum's terms: taken one after another, the last are added in
steps, and a random walk of half last places errs by 1.4e-8 times that root."""


def found(
    reference: Reference, both: Sequence[InputSet], outs: Sequence[Sequence[torch.Tensor]], answers: Answers
) -> str:
    """The evidence that an output of these sets was computed below the contract, by its errors: of both as coarser
    factors foretell them, or of one in steps. Empty where there is none."""
    each = (evidence(reference, *one, answers) for one in zip(both, outs, strict=True))
    return beneath.evidence(reference, both, outs) or next(filter(None, each), "")


def evidence(reference: Reference, made: InputSet, out: Sequence[torch.Tensor], answers: Answers) -> str:
    """For a person: which output errs so on that set; empty where none does, or nothing can be said. `out`: by leaf,
    all within their bounds."""
    if reference.precision not in _ASKED or not is_asked(reference):
        return ""
    own = making.own_outputs(reference, made.weights, made.inputs)
    if own is None or reference.work is None:
        return ""
    least = max(_LEAST, _OF_SUMS * reference.work.longest_sum**0.5)
    suspects = [
        leaf
        for leaf, got in enumerate(out)
        if got.dtype in (torch.float32, torch.float64)
        and verify.compare(got, made.expected[leaf]).norm
        > max(least, WORSE * verify.compare(own[leaf], made.expected[leaf]).norm)
    ]
    if not suspects:
        return ""
    out = [leaf.clone() for leaf in out]
    suspects = _that_stay(reference, made, out, answers, suspects)
    for by in _FAR if suspects else ():
        far = _at(reference, made, answers, by, CLOSE)
        if far is None:
            return ""
        for leaf in suspects:
            if _moves(made.expected[leaf], far[1][leaf]) > _LITTLE:
                continue
            by_little = _agreement(out[leaf], made.expected[leaf], far[0][leaf], far[1][leaf])
            if abs(by_little) <= _OTHER:
                error = verify.compare(out[leaf], made.expected[leaf]).norm
                its = verify.compare(own[leaf], made.expected[leaf]).norm
                return (
                    f"output {leaf} errs by {error:.3g} in the norm where eager errs by {its:.3g}, by the same where "
                    f"inputs and weights are next to nothing away, and otherwise ({by_little:.2g}) where they are "
                    f"{by:.2g} of themselves away: they are taken in steps"
                )
    return ""


def _that_stay(
    reference: Reference, made: InputSet, out: Sequence[torch.Tensor], answers: Answers, leaves: list[int]
) -> list[int]:
    """Those of the leaves that err the same next to nothing away."""
    for _ in range(_TRIES):
        near = _at(reference, made, answers, _NEAR, CLOSER)
        if near is None:
            return []
        each = [(leaf, _agreement(out[leaf], made.expected[leaf], near[0][leaf], near[1][leaf])) for leaf in leaves]
        if same := [leaf for leaf, agreement in each if agreement >= _SAME]:
            return same
    return []


def _at(
    reference: Reference, made: InputSet, answers: Answers, by: float, how: str
) -> tuple[list[torch.Tensor], list[torch.Tensor]] | None:
    """The candidate's outputs and the oracle's, where inputs and weights are so far away."""
    row = made.inputs.to(reference.device, copy=True).view(reference.verify_arena.rows.dtype)
    for leaf in filter(torch.is_floating_point, reference.leaves_of(row)):
        leaf.mul_(1 + by * (2 * torch.rand_like(leaf) - 1))
    which = made.weights
    if reference.has_other_weights and not made.weights:
        which = max(100, *(1 + each for each in reference.weights))
        reference.weights[which] = reference.save_weights(how)
    try:
        exact = reference.exact_of(row, which)
        return None if exact is None else (answers(row, which), exact)
    finally:
        if which != made.weights:
            del reference.weights[which]


def _agreement(out: torch.Tensor, exact: torch.Tensor, other: torch.Tensor, its: torch.Tensor) -> float:
    moved = other.double() - its.double() + exact.to(other.device).double()
    return verify.agreement(out, exact, moved)


def _moves(exact: torch.Tensor, other: torch.Tensor) -> float:
    """By how much it did, of what it differs by from item to item."""
    rows = exact.reshape(next((extent for extent in exact.shape if extent > 1), 1), -1).double()
    size = float((rows - rows.mean(0)).norm())
    return float((other.to(exact.device).double() - exact.double()).norm()) / size if size else float("inf")
