"""Parts of an output that are small beside the rest. Pure comparison of tensors.

An error is held against the scale of the whole output (`verify`), as it is by every tolerance that has an absolute
part, so a part that is ten thousand times smaller could be left out under it. Slices along any dimension that are so
small are looked at by themselves, where the reference has them right and coarser inputs leave them as they are: what
moves them by a fifth there is no rounding. An output whose slices are of one scale has no such slice.

NOT covered: small values that fill no slice (far from a diagonal, say), slices of a few values, and slices below 1e-30,
which a GPU may flush to zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch

from cuda_l1.correctness.verify import Bound, chunk, rms_of, wide
from cuda_l1.inputs.traits import is_continuous

_RIGHT, _STABLE, _LOST = 0.01, 0.02, 0.2
"""Shares of a slice's norm: what the reference may err by, what coarser inputs may move it by, what is no rounding."""
_LOST_NEARLY = 0.005
"""What is no rounding of what many calls leave: an average that stays as it was is off by little."""
_LEAST, _FEWEST = 1e-30, 16
"""Root mean square, and values that are not zero: fewer may be small, and stay so of coarser inputs, by chance."""

_MANY = 1 / 8
"""Of the slices along a dimension: fewer are picked out before their norms are taken."""
_LEAST_SHARE = 1e-6
"""Of the whole's root mean square, on values that are not the task's own: a formula of float32 numbers near one errs by
1e-7, and what is smaller is what it makes of that."""

Slices = list[torch.Tensor]
"""Some of an output's slices: by dimension, for each slice whether it is one of them."""


def none_of(output: torch.Tensor) -> Slices:
    """No slice of such an output."""
    return [torch.zeros(extent, dtype=torch.bool, device=output.device) for extent in _real(output).shape]


def faint(exact: torch.Tensor, allowed: Bound) -> Slices:
    """Which slices could be anything of their size and pass `allowed`. None of what is no floating point."""
    if not is_continuous(exact):
        return none_of(exact)
    exact = _real(exact)
    return [_is_faint(exact, size, allowed) for size in _norms(exact)]


def watched(own: torch.Tensor, exact: torch.Tensor, some: Slices, *, all_sizes: bool = True) -> Slices:
    """Those of `some` that the reference, which gives `own`, has right, so that they can be looked at. Not of
    `all_sizes`: none that is so small beside the whole that exp(x) - 1 in place of expm1(x) is its end."""
    if not any_of(some):
        return some
    own, exact = _real(own), _real(exact)
    least = _LEAST if all_sizes else max(_LEAST, _LEAST_SHARE * rms_of(exact.reshape(-1), exact.device))
    counts = _norms_of(some, (exact != 0).to(exact.dtype))
    each = zip(some, _norms_of(some, exact), _norms_of(some, own, exact), counts, strict=True)
    return [
        mask & (size > least * _root_of_count(exact, size)) & (error <= _RIGHT * size) & (count >= _FEWEST**0.5)
        for mask, size, error, count in each
    ]


def stable(some: Slices, exact: torch.Tensor, rounded: torch.Tensor) -> Slices:
    """Those that are the same of coarser inputs."""
    exact, rounded = _real(exact), _real(rounded)
    moved = zip(some, _norms_of(some, exact), _norms_of(some, rounded, exact), strict=True)
    return [mask & (change <= _STABLE * size) for mask, size, change in moved]


def any_of(some: Slices) -> bool:
    """Whether there is one."""
    return any(bool(mask.any()) for mask in some)


def in_both(one: Slices, two: Slices) -> Slices:
    """Those that are in both."""
    return [a & b for a, b in zip(one, two, strict=True)]


def in_either(one: Slices, two: Slices) -> Slices:
    """Those that are in one of them."""
    return [a | b for a, b in zip(one, two, strict=True)]


def lost(out: torch.Tensor, expected: torch.Tensor, watched: Slices, *, nearly: bool = False) -> str:
    """Which of those watched is not there, or not `nearly` all of it, for a person; empty where all are."""
    if not any_of(watched):
        return ""
    most = _LOST_NEARLY if nearly else _LOST
    out, expected = _real(out), _real(expected)
    by_dimension = zip(watched, _norms_of(watched, expected), _norms_of(watched, out, expected), strict=True)
    for dimension, (mask, size, error) in enumerate(by_dimension):
        wrong = mask & ~(error <= most * size)
        if bool(wrong.any()):
            first, share = int(wrong.nonzero()[0, 0]), float(size[wrong][0] / _norms(expected)[dimension].norm())
            return (
                f"slice {first} along dimension {dimension}, {share:.1g} of the whole, is off by "
                f"{float(error[wrong][0] / size[wrong][0]):.2g} of its own norm (at most {most:g}), as are "
                f"{int(wrong.sum()) - 1} more of {int(mask.sum())} such slices"
            )
    return ""


def _real(values: torch.Tensor) -> torch.Tensor:
    """Complex numbers as pairs along a last dimension: one of the two parts may be small throughout."""
    return torch.view_as_real(values.resolve_conj()) if values.is_complex() else values


def _is_faint(exact: torch.Tensor, size: torch.Tensor, allowed: Bound) -> torch.Tensor:
    total = float(size.norm())
    together = size * _LOST < allowed.norm * total
    alone = size * _LOST / _root_of_count(exact, size) < allowed.element * total / math.sqrt(max(exact.numel(), 1))
    return together & alone


def _root_of_count(values: torch.Tensor, size: torch.Tensor) -> float:
    return math.sqrt(values.numel() / max(len(size), 1))


def _norms_of(some: Slices, values: torch.Tensor, less: torch.Tensor | None = None) -> list[torch.Tensor]:
    """`_norms` of some slices, where these are few of them alone: 0 of the others."""
    if max((float(mask.double().mean()) for mask in some if len(mask)), default=0.0) > _MANY:
        return _norms(values, less)
    found = []
    for dimension, mask in enumerate(some):
        norms = torch.zeros(len(mask), dtype=torch.float64, device=values.device)
        chosen = mask.nonzero()[:, 0]
        if len(chosen):
            given = (values,) if less is None else (values, less)
            picked = (each.index_select(dimension, chosen.to(each.device)) for each in given)
            norms[chosen] = _norms(*picked)[dimension]
        found.append(norms)
    return found


def _norms(values: torch.Tensor, less: torch.Tensor | None = None) -> list[torch.Tensor]:
    """By dimension, each slice's root of the sum of squares of the finite values (or of the difference, where `less` is
    finite), in float64."""
    sums = [torch.zeros(extent, dtype=torch.float64, device=values.device) for extent in values.shape]
    for first, part, other in _parts(values, less):
        want = wide((part if other is None else other).to(values.device))
        got = want if other is None else wide(part) - want
        added = _squares(got)
        if not bool(torch.isfinite(added[0]).all()):
            added = _squares(torch.where(torch.isfinite(want), got, 0.0))
        sums[0][first : first + len(part)] = added[0]
        for total, more in zip(sums[1:], added[1:], strict=True):
            total += more
    return [total.sqrt() for total in sums]


def _squares(values: torch.Tensor) -> list[torch.Tensor]:
    if values.dim() == 2:  # at half of what two norms take
        squares = values.square()
        return [squares.sum(1), squares.sum(0)]
    every = range(values.dim())
    others = [[each for each in every if each != dimension] for dimension in every]
    # without others it is each element's own, and not, as an empty list would be read, the norm of all
    return [(torch.linalg.vector_norm(values, dim=rest) if rest else values.abs()).square() for rest in others]


def _parts(values: torch.Tensor, less: torch.Tensor | None) -> Iterator[tuple[int, torch.Tensor, torch.Tensor | None]]:
    """Both, some rows at a time."""
    if not values.dim() or not values.numel():
        return
    rows = max(1, chunk(values.device) * len(values) // values.numel())
    for first in range(0, len(values), rows):
        yield first, values[first : first + rows], None if less is None else less[first : first + rows]
