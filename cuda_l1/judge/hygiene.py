"""Whether a task's output says enough of its inputs for a speedup on it to be a win. Pure comparison of tensors.

NOT covered: how references are run (reference.py), and tasks without one answer, which making.py refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from cuda_l1.judge import slices, verify
from cuda_l1.judge.sets import InputSet
from cuda_l1.types import Precision

_MOST_HIDDEN = 0.5


def why_degenerate(
    first: InputSet,
    second: Sequence[torch.Tensor],
    precision: Precision,
    dtypes: Sequence[torch.dtype],
    near_one: Callable[[], Sequence[torch.Tensor] | None] | None,
) -> str:
    """Why no speedup is a win, empty where one may be. `second`: what must come of other inputs than those of the
    `first` set; `near_one`: asks for what comes of inputs near one, None where that cannot be or is not to be asked."""
    if all(
        verify.compare(b, a).norm <= verify.floor(precision, dtype).norm
        for a, b, dtype in zip(first.expected, second, dtypes, strict=True)
    ):
        return "different inputs give the same output: any constant is as good"
    if near_one is not None and (share := _hidden(first, second, near_one)) > _MOST_HIDDEN:
        return f"{share:.0%} of the output is too small beside the rest to be checked; it is not for inputs near one"
    return ""


def _hidden(
    first: InputSet, second: Sequence[torch.Tensor], near_one: Callable[[], Sequence[torch.Tensor] | None]
) -> float:
    """The share of an output, of that leaf and along that dimension where it is largest, whose slices are faint on two
    inputs and not watched, and not faint for inputs near one (where an output is zero by its structure it stays so)."""
    faint, again = (list(map(slices.faint, outputs, first.bounds)) for outputs in (first.expected, second))
    if not any(map(slices.any_of, faint)) or (visible := near_one()) is None:
        return 0.0
    most = 0.0
    for leaf in zip(faint, first.watched, again, map(slices.faint, visible, first.bounds), strict=True):
        for dimension in zip(*leaf, strict=True):
            one, watched, two, its = (mask.cpu() for mask in dimension)
            most = max(most, float((one & ~watched & two & ~its).double().mean()) if len(one) else 0.0)
    return most
