"""Counts among the inputs of a task: what they must stay below, which sum to an extent, how many a group has. Pure.

NOT covered: what they are drawn as (distributions.py, groups.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import torch

from cuda_l1.inputs.groups import largest_group, may_be_crowded
from cuda_l1.inputs.traits import WIDE_INTEGERS, is_one_value

_BEGINNINGS = re.compile(r"(^|_)(offsets?|(ind|row_?|seg_?)?ptrs?|starts?|splits?|cu_?seq\w*)(_|$)")
"""What `forward` calls where groups begin: two may begin at one place."""


def bounded(
    trivial: Sequence[int], drawn: Sequence[torch.Tensor], limits: set[int], is_mask: Sequence[bool]
) -> tuple[tuple[int, int], ...]:
    """Of what says nothing the counts, each with its `bound_of`."""
    bounds = ((number, bound_of(drawn[number], drawn, limits, is_mask=is_mask[number])) for number in trivial)
    return tuple((number, bound) for number, bound in bounds if bound is not None)


def bound_of(leaf: torch.Tensor, drawn: Sequence[torch.Tensor], limits: set[int], *, is_mask: bool) -> int | None:
    """What a count must stay below; None where it may not be larger."""
    if leaf.dtype is torch.bool or leaf.is_complex() or not is_one_value(leaf):
        return None
    number = float(leaf.reshape(-1)[0])
    if leaf.is_floating_point():
        return 0 if number and not is_mask else None
    extents = extents_of(drawn)
    if number <= 1 or number in extents or (leaf.numel() > 1 and number * leaf.numel() in extents):
        return None
    bound = min(_least_above(number, drawn, limits), torch.iinfo(leaf.dtype).max + 1)
    return None if bound == number + 1 else bound


def _least_above(number: float, drawn: Sequence[torch.Tensor], limits: set[int]) -> int:
    return min((limit for limit in extents_of(drawn) | limits if limit > number), default=0)


def extents_of(drawn: Sequence[torch.Tensor]) -> set[int]:
    """Of all its dimensions."""
    return {extent for leaf in drawn for extent in leaf.shape}


def is_summed(leaf: torch.Tensor, drawn: Sequence[torch.Tensor]) -> bool:
    """Whether it is counts of one number that sum to an extent, in all or by row."""
    if leaf.dtype not in WIDE_INTEGERS or leaf.numel() < 2 or leaf.shape[-1] < 2 or not is_one_value(leaf):
        return False
    number = int(leaf.reshape(-1)[0])
    if number <= 1 or any(o.shape[: leaf.dim()] == leaf.shape and number in o.shape[leaf.dim() :] for o in drawn):
        return False  # of what many rows are whole lengths
    return not {number * leaf.numel(), number * leaf.shape[-1]}.isdisjoint(extents_of(drawn))


def _is_said(leaf: torch.Tensor, drawn: Sequence[torch.Tensor], limits: set[int]) -> bool:
    """Whether a number, offsets, or which each belongs to, say how many."""
    number, count = int(leaf.reshape(-1)[0]), leaf.numel()
    others = (other.reshape(-1) for other in drawn if other is not leaf and other.dtype in WIDE_INTEGERS)
    return number in limits or any(_say(other, number, count) for other in others if other.numel() > 1)


def _say(other: torch.Tensor, number: int, count: int) -> bool:
    if bool((other.diff() == number).all() or (other.diff() >= 0).all()):
        return True
    are_owners = int(other.min()) >= 0 and int(other.max()) < count
    return are_owners and bool((other.bincount(minlength=count) == number).all())


def of_shares(summed: Sequence[int], drawn: Sequence[torch.Tensor], limits: set[int]) -> tuple[tuple[int, int], ...]:
    """Those of them that nothing else says, with what they must stay below."""
    free = [number for number in summed if not _is_said(drawn[number], drawn, limits)]
    return tuple((number, _least_above(int(drawn[number].max()), drawn, limits)) for number in free)


def of_groups(
    some: Sequence[int], draws: Sequence[Sequence[torch.Tensor]], limits: set[int]
) -> tuple[tuple[int, int], ...]:
    """Which of some inputs are in groups that nothing else says, with what the largest must stay below."""
    first = draws[0]
    free = [number for number in some if all(may_be_crowded(each[number], each) for each in draws)]
    sizes = {number: max(largest_group(each[number]) for each in draws) - 1 for number in free}
    return tuple((n, _least_above(size, [*first[:n], *first[n + 1 :]], limits)) for n, size in sizes.items())


def of_those_empty(
    groups: Sequence[tuple[int, int]], draws: Sequence[Sequence[torch.Tensor]], names: Sequence[str]
) -> tuple[tuple[int, int], ...]:
    """Of groups, with their bounds, those of which some may have none."""
    return tuple((n, bound) for n, bound in groups if all(_may_be_empty(n, each, names[n]) for each in draws))


def _may_be_empty(number: int, drawn: Sequence[torch.Tensor], name: str) -> bool:
    """Whether some of the groups may have none: of those that say where groups begin only what begins at zero and ends
    with another input's extent, or is called so, for others may be places of which each comes once."""
    leaf, others = drawn[number], [*drawn[:number], *drawn[number + 1 :]]
    if not bool((leaf.diff(dim=-1) > 0).all()):
        return True
    ends = leaf[..., -1].reshape(-1)
    is_closed = is_one_value(ends) and int(ends[0]) in extents_of(others)
    return not bool(leaf[..., 0].any()) and (is_closed or _BEGINNINGS.search(name) is not None)
