"""Integers in order, as those that say which group each place belongs to, or where groups begin: what they are by the
look of a draw, and groups of other sizes. Pure.

NOT covered: counts of one number (distributions.py), and which inputs are drawn so (looks.py).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import torch

from cuda_l1.inputs.integers import are_counts_of, are_owners_of
from cuda_l1.inputs.traits import (
    LEAST_IN_ORDER,
    LEAST_NODES,
    SIGNED,
    has_rows_of_integers,
    is_binary,
    is_continuous,
    is_one_value,
)

EMPTIED, ONE_GAP = "emptied", "one gap"
"""Of groups some have none; and of times nearly all are beside one another, and a long while nothing happens."""
_MOVED, _EMPTIED = 3 / 4, 1 / 3


def are_in_groups(value: Any) -> bool:
    """Whether rows of integers are in order, and rise by more than one somewhere or stay what they are: no places that
    count up."""
    if not has_rows_of_integers(value, LEAST_IN_ORDER):
        return False
    steps = value.diff(dim=-1)
    return bool((steps >= 0).all()) and not bool((steps == steps[..., :1]).all(-1).any())


def largest_group(value: Any) -> int:
    """How many places the largest has: of numbers that come several times the one that comes most often."""
    steps = value.diff(dim=-1)
    if bool((steps > 0).all()):
        return int(steps.max())
    return int(_places_in_group(value).max()) + 1


def may_be_crowded(value: Any, drawn: Sequence[Any]) -> bool:
    """Whether one group may have most of all that are in some: nothing else that is drawn says how many."""
    others = (other for other in drawn if other is not value and other.numel() > 1 and other.dtype not in SIGNED)
    says = (_say_groups(other, value) for other in others if not is_continuous(other) or is_binary(other))
    return are_in_groups(value) and not any(says)


def are_times(value: Any, drawn: Sequence[Any], extents: Collection[int]) -> bool:
    """Whether integers in order may be times, or other numbers than places and groups: they are beyond all extents. No
    other that is as long is in order and nowhere less, or nowhere more, as an end is."""
    if not are_in_groups(value) or int(value.max()) <= max(extents) or int(value.min()) < 0:
        return False
    as_long = (other for other in drawn if other is not value and other.shape == value.shape)
    others = (other.long() for other in as_long if not is_continuous(other) and not is_binary(other))
    return not any(bool((other <= value).all() or (other >= value).all()) for other in others)


def with_one_gap(value: Any) -> Any:
    """The same in order, between the same ends, of which one step has three quarters of all others."""
    steps = value.diff(dim=-1)
    taken = (steps * _MOVED).to(value.dtype)
    one = torch.randint(0, taken.shape[-1], [*taken.shape[:-1], 1], device=value.device)
    taken.scatter_(-1, one, 0)
    steps = (steps - taken).scatter_add(-1, one, taken.sum(-1, keepdim=True, dtype=value.dtype))
    return torch.cat([value[..., :1], value[..., :1] + steps.cumsum(-1, dtype=value.dtype)], -1)


def _say_groups(other: Any, value: Any) -> bool:
    """Whether another input may say where groups begin, or how many each has. Not if it is as long and neither their
    first nor their last places are one number there, nor is it in order; or is of groups, and no counts; or of what
    begins at these places; or edges from one group to another."""
    if not other.dim() or bool((other.int().diff(dim=-1) >= 0).all()):
        return True
    if other.shape == value.shape:
        rises = value.diff(dim=-1) > 0
        ends = torch.ones_like(rises[..., :1])
        masks = torch.cat([ends, rises], -1), torch.cat([rises, ends], -1)
        return any(is_one_value(other[mask]) for mask in masks)
    least, most = int(value.min()), int(value.max())
    if other.dim() == len(other) == 2 and int(other.min()) >= 0 and are_owners_of(other, value):
        return False
    if value.dim() > 1 or other.dim() > 1 or least < 0:
        return True
    if bool((value.diff() > 0).all()):
        if most > other.numel():  # as many as there are groups, or so many that it says nothing of them
            return bool(abs(value.numel() - other.numel()) <= 1)
        return is_one_value(other[value.long().clamp(max=other.numel() - 1)])
    if not most < other.numel() <= most + LEAST_NODES:
        return True
    return are_counts_of(other, value)


def crowded(value: Any, bound: int) -> Any:
    """The same in order, of which one group has three quarters of what all may give it, each of which keeps one; and
    less than the bound, if there is one."""
    steps = value.diff(dim=-1)
    rows = value.reshape(-1, value.shape[-1])
    if bool((steps > 0).all()):
        taken = ((steps.reshape(len(rows), -1) - 1) * _MOVED).to(value.dtype)
        one = torch.randint(0, taken.shape[1], (len(rows), 1), device=value.device)
        steps = steps.reshape(taken.shape)
        taken.scatter_(1, one, 0)
        if bound:
            room = (bound - 1 - steps.gather(1, one)).clamp_min(0)
            before = taken.cumsum(1) - taken
            taken = torch.minimum(taken, (room - before).clamp_min(0)).to(value.dtype)
        steps = (steps - taken).scatter_add(1, one, taken.sum(1, keepdim=True).to(value.dtype))
        return torch.cat([rows[:, :1], rows[:, :1] + steps.cumsum(1)], 1).to(value.dtype).view(value.shape)
    one = rows.gather(1, torch.randint(0, rows.shape[1], (len(rows), 1), device=value.device))
    moved = (_places_in_group(rows) > 0) & (rows != one) & (torch.rand(rows.shape, device=value.device) < _MOVED)
    if bound:
        moved &= moved.cumsum(1) <= bound - 1 - (rows == one).sum(1, keepdim=True)
    return torch.where(moved, one, rows).sort(-1).values.view(value.shape)


def emptied(value: Any, bound: int) -> Any:
    """The same in order, of which some groups have none, but never the first or the last: what was theirs is that of
    the group before, unless it then has as much as the bound, if there is one."""
    rows = value.reshape(-1, value.shape[-1])
    steps = rows.diff(dim=-1)
    if bool((steps > 0).all()):
        taken = _some_within(steps, bound)
        return torch.cat([torch.where(taken, rows[:, 1:], rows[:, :-1]), rows[:, -1:]], 1).view(value.shape)
    begins = torch.cat([torch.ones_like(rows[:, :1], dtype=torch.bool), steps != 0], 1)
    which = begins.reshape(-1).cumsum(0) - 1
    names, is_first = rows[begins], torch.zeros_like(begins).index_fill_(1, which.new_zeros(1), True)[begins]
    taken = _some_within(which.bincount(), bound) & ~is_first & ~is_first.roll(-1)
    return torch.where(taken, names.roll(1), names)[which].view(value.shape)


def _some_within(sizes: Any, bound: int) -> Any:
    """Some of these groups, which with those before them have less than the bound."""
    some = torch.rand(sizes.shape, device=sizes.device) < _EMPTIED
    some[..., 0], some[..., -1] = False, False
    return some & (sizes + sizes.roll(1, -1) < bound) if bound else some


def _places_in_group(value: Any) -> Any:
    """How many of its own each place has before it."""
    places = torch.arange(value.shape[-1], device=value.device).expand(value.shape)
    begins = torch.cat([torch.ones_like(value[..., :1], dtype=torch.bool), value.diff(dim=-1) != 0], -1)
    return places - torch.where(begins, places, 0).cummax(-1).values
