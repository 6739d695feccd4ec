"""Which inputs of one draw an earlier one tells: a mask's other half, targets that are words a place later. Pure.

NOT covered: whether two inputs say anything of one another (integers.py), and in which draws that holds (draws.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from cuda_l1.inputs.traits import LEAST_IN_ORDER, is_band, is_binary, is_continuous, is_one_value

_LEAST_EQUAL = 1 / 8
"""That share of two inputs at least is equal, where one tells the other but for one number."""


def told(drawn: Sequence[Any], trivial: Sequence[int]) -> tuple[int, ...]:
    """Which of these inputs an earlier one tells, but for those that say nothing."""
    said = [None if number in trivial else _said(leaf) for number, leaf in enumerate(drawn)]
    return tuple(
        number
        for number, own in enumerate(said)
        if own is not None and any(one is not None and _tells(one, own) for one in said[:number])
    )


def may_say(leaf: Any) -> bool:
    """Whether it is a mask, or of no floating point."""
    return leaf.numel() > 0 and (not is_continuous(leaf) or is_binary(leaf))


def _said(leaf: Any) -> Any | None:
    """A mask as booleans, whatever it is held as; nothing of other numbers."""
    if leaf.numel() and is_binary(leaf):
        return leaf.bool()
    return None if is_continuous(leaf) or not leaf.numel() else leaf.long()


def _tells(one: Any, own: Any) -> bool:
    if own.dtype is torch.bool and one.dtype is torch.bool:
        if one.numel() != own.numel():
            return False
        here, there = own.reshape(-1), one.reshape(-1)
        both, a, b = int((here & there).sum()), int(here.sum()), int(there.sum())
        neither = here.numel() - a - b + both
        is_equal = a == b == both or (both == neither == 0)
        return is_equal or ((both in (a, b)) and not is_band(own))
    if torch.bool in (own.dtype, one.dtype):
        return False
    if one.numel() == own.numel() and _is_equal_but_for_one_number(one.reshape(-1), own.reshape(-1)):
        return True
    if not own.dim() == one.dim() > 0 or own.shape[-1] < LEAST_IN_ORDER or bool((own.diff(dim=-1) >= 0).all()):
        return False  # of what is in order each may be where the next one ends
    return _is_a_place_off(one, own)


def _is_equal_but_for_one_number(one: Any, own: Any) -> bool:
    differs = one.long() != own.long()
    rest = own[differs]
    return float(differs.float().mean()) <= 1 - _LEAST_EQUAL and (not rest.numel() or is_one_value(rest))


def _is_a_place_off(one: Any, own: Any) -> bool:
    """Of rows as long, or one shorter."""
    pairs = [(own, one[..., 1:]), (own, one[..., :-1]), (own[..., 1:], one), (own[..., :-1], one)]
    pairs += [(own[..., 1:], one[..., :-1]), (own[..., :-1], one[..., 1:])]
    return any(torch.equal(a, b) for a, b in pairs)
