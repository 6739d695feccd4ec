"""Whether a set of inputs leaves enough digits to right code of another order, or of coarser factors that the contract
allows: numbers of one side have a mean that is large beside what they differ by, and so have sums of them.

NOT covered: 16-bit roundings (narrow.py), and slices that are small beside the rest (watch.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from cuda_l1.correctness import verify
from cuda_l1.correctness.reference import Reference
from cuda_l1.correctness.sets import InputSet
from cuda_l1.inputs.rounding import ALL_RESULTS, BF16, FACTORS, FP16, MOVED, OF_FLOAT64, moves_by
from cuda_l1.inputs.traits import is_continuous
from cuda_l1.types import Precision

_ROUNDS: dict[Precision, str] = {"tf32": FP16, "fp16": FP16, "bf16": BF16}
"""What factors may be rounded to under a contract that the reference's own code need not use."""


def are_left(ref: Reference, made: InputSet, exact: Sequence[torch.Tensor]) -> bool:
    """Whether who squares what cancels passes there, as a variance from sums of squares does: what its results err by
    is the square of what last places of inputs, or of all results, move an output by, over what these move by. And
    whether coarser factors do, where the contract allows them."""
    of = OF_FLOAT64 if is_double(ref) else ""
    for some in ("", ALL_RESULTS) if ref.has_oracle else ():
        found = ref.rounded(made, MOVED + of, some) or exact
        for near, leaf, bound in zip(found, exact, made.bounds, strict=True):
            if is_continuous(leaf) and verify.compare(near, leaf).norm ** 2 > bound.norm * moves_by(MOVED + of):
                return False
    return bear_rounding(ref, made, exact)


def bear_rounding(ref: Reference, made: InputSet, exact: Sequence[torch.Tensor]) -> bool:
    """Whether who rounds factors as the contract allows passes with room: where sums of products cancel, in a row far
    out or once a mean is taken off, the reference's own code, which rounds less, does not show what is left then."""
    kind = _ROUNDS.get(ref.precision)
    rounded = ref.rounded(made, kind, FACTORS) if kind and ref.has_oracle else None
    half = [verify.Bound(bound.norm / 2, bound.element / 2) for bound in made.bounds]
    return rounded is None or verify.all_hold(half, rounded, list(exact))


def is_double(ref: Reference) -> bool:
    """Whether all that the task computes with is float64: its last places are others."""
    kinds = {leaf.dtype for leaf in ref.input_leaves} | {kind for _, _, kind in ref.state}
    numbers = {kind for kind in kinds if "float" in kind or "complex" in kind}
    return bool(numbers) and numbers <= {"float64", "complex128"}
