"""Numbers as fewer bits hold them, and numbers last places away; and by what names the oracle is asked what of a module
is taken so: factors of products, results, terms of sums.

NOT covered: how a module is run so (oracle.py, either.py), and what that says (beneath.py, narrow.py).
"""

from __future__ import annotations

from typing import Any

import torch

BF16, FP16, CUT_OFF = "bfloat16", "float16 or TF32", "TF32, cut off"
ROUNDINGS = {BF16: (16, True), FP16: (13, True), CUT_OFF: (13, False)}
"""Coarser factors of products: bits of a float32 that are dropped, and whether to the nearest. Tensor cores that are
given float32 cut it off; libraries that convert it first round it."""
FACTORS, RESULTS_TOO, SECOND_ALONE = "factors", "factors and results", "second factors"
"""What of products is rounded, where nothing else is."""
ALL_RESULTS = "all results"
LONG_SUMS = "all results, and terms of long sums"
TIES_APART = "all that operations take, ties too"
DIVISORS = "zeros that are divided by, negative"
EITHER_SIDE, EITHER_SIDE_KEPT = "16-bit results on either side", "16-bit results on either side, in its state too"
EITHER_SIDE_FAR = "16-bit results some places away"
"""Of a copy of the module as it is, of itself, and of a copy, see narrow.py."""
BESIDE_ONE = "beside one"
"""What is left of numbers that are added to one in float32."""
_BESIDE_ONE = 2.0**-23
MOVED, MOVED_TF32 = "a last place away", "a last place of TF32's away"
MOVED_TWICE, BY_CHANCE = "two last places away", "last places away, and ties in any order"
OF_FLOAT64 = " of float64's"
_MOVES = {MOVED: 2.0**-22, MOVED_TWICE: 2.0**-21, MOVED_TF32: 2.0**-11}
"""Each larger by such a share of itself, smaller, or as it is, by chance: by two units in the last place of a float32,
twice as many, or as much as TF32 rounds. What is whole numbers stays."""
_MOVES |= {kind + OF_FLOAT64: 2.0**-29 * _MOVES[kind] for kind in (MOVED, MOVED_TWICE)}
_MOST_LEVELS = 1 << 15


def rounded(value: torch.Tensor, kind: str, times: float = 1.0) -> torch.Tensor:
    """The tensor's values as the hardware would take them, or moved, by so many times as much; its dtype stays. Of
    complex ones each part."""
    if value.is_complex():
        return torch.view_as_complex(rounded(torch.view_as_real(value.resolve_conj()), kind, times))
    if kind in _MOVES:
        return value if are_whole(value) else value * (1 + times * _MOVES[kind] * torch.randint_like(value, -1, 2))
    if kind == BESIDE_ONE:
        return (value / _BESIDE_ONE).round() * _BESIDE_ONE
    dropped, nearest = ROUNDINGS[kind]
    bits = value.float().contiguous().view(torch.int32)
    return ((bits + (nearest << dropped >> 1)) & -(1 << dropped)).view(torch.float32).to(value.dtype)


def moves_by(kind: str) -> float:
    """By what share of itself a number is moved at most."""
    return _MOVES[kind]


def are_whole(value: Any) -> bool:
    """Whether it is whole numbers everywhere, none large: labels, flags and levels, which no rounding has made. A last
    place away `label == 1` holds nowhere, and whatever comes of that is not right."""
    return bool(which_are_whole(value).all())


def which_are_whole(value: Any) -> Any:
    """Which of its elements are such."""
    return (value == value.round()) & (value.abs() <= _MOST_LEVELS)
