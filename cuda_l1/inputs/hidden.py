"""What there is nothing of: rows that a mask hides, or that are padding throughout, and lengths of zero. Which inputs
may have such by the look of a draw and by the task's text, and these drawn so. Pure.

NOT covered: padding by a number that is never drawn (fills.py), and when any is asked for (sets.py).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

import torch

from cuda_l1.inputs import asks
from cuda_l1.inputs.fills import filled_planes
from cuda_l1.inputs.traits import is_band, is_binary, is_continuous

HIDDEN, ALL_HIDDEN, SOME = "hidden rows", "all hidden", "some"
HIDES = (HIDDEN, ALL_HIDDEN, SOME)
_WITH, _SOME = " with ", 1 / 4


def hiding(value: Any, asked: Collection[float], *, is_mask: bool) -> list[str]:
    """The distributions of an input that may hide all: a mask, or integers with numbers that the task asks for. All of
    it is that number; and some of its rows are, where it has rows, and that number is among them as they are drawn."""
    if is_mask:
        numbers = [0.0, 1.0] if is_binary(value) and not is_band(value) else []
    else:
        are_some = not is_continuous(value) and value.dtype is not torch.bool and value.numel() > 1
        numbers = sorted(asked) if are_some else []
    of_rows = [number for number in numbers if value.dim() > 1 and (is_mask or bool((value == number).any()))]
    kinds = [*((HIDDEN, number) for number in of_rows), *((ALL_HIDDEN, number) for number in numbers)]
    return [f"{kind}{_WITH}{number:.15g}" for kind, number in kinds]


def below_limits(value: Any, name: str, source: str) -> list[str]:
    """The distribution of integers of which some are below a limit that the task takes them up to, as lengths of zero
    are in `lengths.clamp(min=1)`; none where they have such as they are drawn, nor where `lengths - 1` may be a place,
    of which there is none for zero. None below zero: labels have a number there that is ignored, and no other."""
    if is_continuous(value) or value.dtype is torch.bool or value.numel() < 2 or not name:
        return []
    part = rf"\b{re.escape(name)}(?:\.\w+\([^()]*\)|\[[^\[\]]*\])*"
    limit = rf"(?:{part}\.|torch\.)cl(?:amp|ip)(?:_min)?_?\((?:{part},)?\s*(?:min=)?(-?\d+)\b"
    module = asks.of_module(source)
    if re.search(rf"{part}\s*-\s*1\b(?!\)\.(?:clamp|clip))", module):
        return []
    numbers = {int(least) - 1 for least in re.findall(limit, module)}
    return [f"{SOME}{_WITH}{number}" for number in sorted(numbers) if 0 <= number < int(value.min())]


def hidden(value: Any, kind: str) -> Any:
    """An input as that distribution."""
    name, _, number = kind.partition(_WITH)
    if name == ALL_HIDDEN:
        return torch.full_like(value, float(number))
    if name == SOME:
        return value.masked_fill(torch.rand(value.shape, device=value.device) < _SOME, int(number))
    return filled_planes(value, float(number), value.dim())
