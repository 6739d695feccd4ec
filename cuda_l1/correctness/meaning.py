"""Whether what comes of inputs and weights that are not a task's own can be held against a candidate: which outputs are
finite there, or infinite as the task's own are, and which are more than rounding.

NOT covered: the sets themselves (sets.py), and values on which the reference raises (preparation.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from cuda_l1.correctness import verify
from cuda_l1.correctness.sets import InputSet
from cuda_l1.inputs.traits import is_continuous, with_arithmetic

_STANDS_FOR_MORE = 1e20
"""So many times the task's own values: what stands for infinity there, and a library gives as such."""
_LITTLE = 1e-3
_MORE_MISSING = 2
"""So many times as often as in the task's own outputs something may be no number."""


def are_meant(exact: Sequence[torch.Tensor], known: Sequence[InputSet]) -> bool:
    """Whether all outputs are."""
    return all(meant(exact, known))


def meant(exact: Sequence[torch.Tensor], known: Sequence[InputSet]) -> list[bool]:
    """Which outputs on values of another distribution can be compared: finite, or infinite in the same places as those
    of the task's own (a mask), which is no overflow and no formula outside its domain. Or infinite anywhere, as these
    are, or no numbers, where the places are others in each draw: so a task says what it leaves out."""
    own = [each.expected for each in known if each.kind == "own" and not each.weights]
    return [not is_continuous(leaf[0]) or _is_meant(*leaf) for leaf in zip(exact, *own, strict=True)]


def left_open(fit: Sequence[bool], exact: Sequence[torch.Tensor]) -> list[bool] | None:
    """Which of several outputs may be anything on a set: those that do not fit, and what is chosen where some numbers
    do not, for it may be chosen by these. None where no numbers are left."""
    if all(fit):
        return [False for _ in fit]
    numbers = [is_continuous(leaf) for leaf in exact]
    is_lost = any(is_number and not fits for is_number, fits in zip(numbers, fit, strict=True))
    opened = [not fits or (is_lost and not is_number) for is_number, fits in zip(numbers, fit, strict=True)]
    is_left = any(is_number and not each for is_number, each in zip(numbers, opened, strict=True))
    return opened if is_left else None


def _is_meant(exact: torch.Tensor, *own: torch.Tensor) -> bool:
    exact, first, *others = map(with_arithmetic, (exact, *own))
    most, usual = (float(torch.linalg.vector_norm(leaf, math.inf)) if leaf.numel() else 0.0 for leaf in (exact, first))
    if math.isfinite(most):
        return not most >= _STANDS_FOR_MORE * max(usual, 1.0)
    finite = torch.isfinite(exact)
    if not all(torch.equal(torch.isfinite(each), torch.isfinite(first)) for each in others):
        return bool(finite.any()) and _leaves_out_as(*map(_in_parts, (exact, first, *others)))
    masked = torch.where(torch.isfinite(first), 0, first).to(exact.device, exact.dtype)
    return bool((torch.where(finite, 0, exact) == masked).all())


def _leaves_out_as(exact: torch.Tensor, *own: torch.Tensor) -> bool:
    """Whether it is infinite as the first of a task's own outputs are, if at all, and no number hardly more often than
    those are: of what is mostly outside a formula's domain little is verified."""
    missing, *usual = (int(torch.isnan(each).sum()) for each in (exact, *own))
    infinite = (bool(its(own[0]).any() or not its(exact).any()) for its in (torch.isposinf, torch.isneginf))
    return missing <= _MORE_MISSING * max(usual) and all(infinite)


def say_nothing(exact: Sequence[torch.Tensor], known: Sequence[InputSet]) -> bool:
    """Whether some outputs are next to nothing beside the task's own: what comes of zeros may be rounding alone."""
    leaves = [(one, its) for one, its in zip(exact, known[0].expected, strict=True) if is_continuous(one)]
    sizes = (
        [verify.rms_of(with_arithmetic(each).reshape(-1), one.device) for each in (one, its)] for one, its in leaves
    )
    return any(size < _LITTLE * usual for size, usual in sizes)


def _in_parts(value: torch.Tensor) -> torch.Tensor:
    """Of complex numbers both parts, each of which may be infinite."""
    return torch.view_as_real(value) if value.is_complex() else value
