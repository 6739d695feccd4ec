"""Integers as words of bits: with many of these set, and what numbers are below that end where no bit does. Used inside
the worker only.

NOT covered: whether a task asks for bits (operations.py), and which integers are drawn so (looks.py, sets.py).
"""

from __future__ import annotations

from typing import Any

import torch

from cuda_l1.inputs.traits import is_continuous

_NEARLY_HALF, _MOST_BY_CHANCE = 3 / 8, 8


def many_bits(value: Any, bound: int = 0) -> Any:
    """Words half of which have the bits of three others too, and some of these all that any of them has: by chance no
    word has many more than most have. A single negative number, as what is ignored has, says nothing by its bits; and
    numbers that end where no bit does, as classes do, end there still: below the bound, if other draws say it."""
    if is_continuous(value) or value.dtype is torch.bool or value.numel() < 2:
        return value
    most, is_below = int(value.max()), value < 0
    stays = is_below & (value[is_below].unique().numel() == 1)
    flat, chance = value.masked_fill(stays, 0).reshape(-1), torch.rand(value.shape, device=value.device)
    others = flat[torch.randint(len(flat), (3, *value.shape), device=value.device)]
    made = value | others[0] | others[1] | others[2]
    every = flat  # halved until one is left
    while len(every) > 1:
        half = (len(every) + 1) // 2
        every = every[:half] | every[-half:]
    made = torch.where(chance < 1 / 8, every[0], torch.where(chance < 1 / 2, made, value))
    end = bound or end_of(value)
    return torch.where(stays | ((made >= end) & (made > most)), value, made) if end else made


def end_of(value: Any) -> int:
    """What numbers are below that are any below one which is no power of two: half of them are odd, and none is as near
    that power as one would be by chance; 0 for others. Of few numbers many draws together say it."""
    most = int(value.max()) if value.numel() and not is_continuous(value) else 0
    width = most.bit_length()
    are_odd = most > 0 and float((value & 1).float().mean()) > _NEARLY_HALF
    return most + 1 if are_odd and value.numel() * ((1 << width) - 1 - most) > _MOST_BY_CHANCE << width else 0
