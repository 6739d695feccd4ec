"""What the inputs of a task are by the look of one draw: which say nothing, which say what another one says, counts,
positions, masks. Pure.

NOT covered: what is made of each (values.py), and which distributions come of it (sets.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import torch

from cuda_l1.judge.values import counts_up, is_band, is_one_value, is_trivial
from cuda_l1.judge.verify import is_continuous

_MASK = re.compile("mask")
_WRITES_AT_PLACES = re.compile(r"\b(scatter\w*|index_(copy|put|fill|reduce)_?|put_)\b|\]\s*=[^=]")
_LEAST_IN_ORDER = 8


class Looks(NamedTuple):
    """Indices of input tensors."""

    trivial: tuple[int, ...] = ()
    """See `values.is_trivial`."""
    told: tuple[int, ...] = ()
    """Of no floating point and not trivial, and known to whoever knows an earlier one: equal to it, or one place later
    or earlier, or of masks its opposite, within it, around it or apart from it."""
    counts: tuple[int, ...] = ()
    """Of one number throughout, which may be larger: no masks, and no lengths that are another tensor's."""
    positions: tuple[int, ...] = ()
    """Rows that count up, where nothing is written to places, for of two in one place either may be the last."""
    masks: tuple[int, ...] = ()
    """Of floating point, and zero or one everywhere, where the task's text says mask: nobody owes it other numbers."""


def look(drawn: Sequence[torch.Tensor], source: str) -> Looks:
    """By the inputs of one draw, and the task's text."""
    trivial = [is_trivial(leaf) for leaf in drawn]
    extents = {extent for leaf in drawn for extent in leaf.shape}
    says_mask = _MASK.search(source) is not None
    places = _WRITES_AT_PLACES.search(source) is not None

    def those(found: Sequence[bool]) -> tuple[int, ...]:
        return tuple(number for number, one in enumerate(found) if one)

    return Looks(
        trivial=those(trivial),
        told=_told(drawn, trivial),
        counts=those([one and _may_rise(leaf, extents, says_mask) for leaf, one in zip(drawn, trivial, strict=True)]),
        positions=those([not places and counts_up(leaf) for leaf in drawn]),
        masks=those([says_mask and _is_mask_of_numbers(leaf) for leaf in drawn]),
    )


def _may_rise(leaf: torch.Tensor, extents: set[int], says_mask: bool) -> bool:
    if leaf.dtype is torch.bool or leaf.is_complex() or not is_one_value(leaf):
        return False
    number = float(leaf.reshape(-1)[0])
    if leaf.is_floating_point():
        return number != 0 and not says_mask
    return number > 1 and number not in extents


def _is_mask_of_numbers(leaf: torch.Tensor) -> bool:
    return leaf.is_floating_point() and leaf.numel() > 1 and bool(((leaf == 0) | (leaf == 1)).all())


def _told(drawn: Sequence[torch.Tensor], trivial: Sequence[bool]) -> tuple[int, ...]:
    said = [
        None if one or is_continuous(leaf) or not leaf.numel() else leaf
        for leaf, one in zip(drawn, trivial, strict=True)
    ]
    return tuple(
        number
        for number, own in enumerate(said)
        if own is not None and any(one is not None and _tells(one, own) for one in said[:number])
    )


def _tells(one: torch.Tensor, own: torch.Tensor) -> bool:
    if one.numel() != own.numel():
        return False
    here, there = own.reshape(-1).long(), one.reshape(-1).long()
    if torch.equal(here, there) or (own.dtype is torch.bool and torch.equal(1 - here, there)):
        return True
    if own.dtype is torch.bool and one.dtype is torch.bool:
        both, a, b = int((here & there).sum()), int(here.sum()), int(there.sum())
        return both in (0, a, b) and not is_band(own)
    is_in_order = own.shape == one.shape and own.dim() and own.shape[-1] >= _LEAST_IN_ORDER
    return bool(is_in_order) and any(torch.equal(a[..., 1:], b[..., :-1]) for a, b in ((own, one), (one, own)))
