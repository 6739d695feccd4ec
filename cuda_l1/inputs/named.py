"""Integers that another input names: the keys of a table, with the chains that hold them, and rows that may be nothing
but what is named. Pure.

NOT covered: what integers are by themselves, and whether another input says what they are (integers.py).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import torch

from cuda_l1.inputs.integers import are_lists
from cuda_l1.inputs.traits import LEAST_IN_ORDER, LEAST_NODES, WIDE_INTEGERS

_LOOKED_AT, _MOST_PAIRS = 1 << 16, 1 << 24
_ABOUT, _DEVIATIONS = 4, 4.0
"""One in so many are named, or so many deviations more than by chance."""


def are_keys(keys: Any, names: Any) -> bool:
    """Whether what another input names is among these, all or far more of it than by chance, of which none is there
    twice, and which are hardly any of the numbers between their ends: the keys of a table."""
    if any(each.dtype not in WIDE_INTEGERS or not LEAST_NODES <= each.numel() <= _LOOKED_AT for each in (keys, names)):
        return False
    its = keys.unique()
    share = len(its) / max(int(its[-1]) - int(its[0]), 1)
    if len(its) < keys.numel() or _ABOUT * share > 1:
        return False
    found, by_chance = int(torch.isin(names, its).sum()), share * names.numel()
    return bool(_ABOUT * found > names.numel() and found > by_chance + _DEVIATIONS * (1 + by_chance) ** 0.5)


def begin_chains(heads: Any, drawn: Sequence[Any]) -> bool:
    """Whether they are where lists begin of which another input says how they go on, and these hold the keys of a table
    that others name: each node is in one list, which its key tells."""
    if heads.dtype not in WIDE_INTEGERS or heads.dim() != 1:
        return False
    its = heads[heads >= 0]
    lists = [other for other in drawn if other is not heads and are_lists(other)]
    if not any(_is_each_once(torch.cat([its, other[other >= 0]]), len(other)) for other in lists):
        return False
    return any(are_keys(*pair) for pair in itertools.permutations(drawn, 2))


def _is_each_once(value: Any, count: int) -> bool:
    return torch.equal(value.sort().values.long(), torch.arange(count, device=value.device))


def may_be_named_by(value: Any, drawn: Sequence[Any], by: int) -> bool:
    """Whether rows of integers may be nothing but what another input names, or nothing of it: for all of them or for
    each, some of the numbers between their ends. As many as there are rows, or as rows are long, are labels."""
    names = drawn[by]
    if any(each.dtype not in WIDE_INTEGERS or not each.numel() for each in (value, names)):
        return False
    if value.dim() < 2 or not names.dim() or value.shape[:-1].numel() < LEAST_IN_ORDER:
        return False
    is_of_rows = names.dim() > 1 and names.shape[:-1] == value.shape[:-1]
    may_be = is_of_rows if names.dim() > 1 else len(names) not in value.shape
    if not may_be or names.shape[-1] < 2 or value.numel() * names.shape[-1] > _MOST_PAIRS:
        return False
    its = names[(names >= value.min()) & (names <= value.max())]
    return 2 * its.numel() > names.numel() and (is_of_rows or not bool(torch.isin(value, names).all()))
