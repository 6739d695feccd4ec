"""Which inputs of a task are what, by what its `forward` calls them and by the look of some draws: masks, positions,
what says nothing, and what another one says. Pure.

NOT covered: what else is seen of those that say something (looks.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import torch

from cuda_l1.inputs import counts, operations
from cuda_l1.inputs.draws import Draws, heads_of
from cuda_l1.inputs.told import may_say, told
from cuda_l1.inputs.traits import (
    SIGNED,
    counts_up,
    has_both_signs,
    is_continuous,
    is_float8,
    is_partly_trivial,
)

_MASK = re.compile("mask|pad|valid|keep|visible")
_FLAG = re.compile("done|reset|termina|truncat")
_POSITIONS = re.compile(r"(^|_)(pos|positions?|times?|timesteps?|steps?)(_|$)|^t$")
"""What integers are called that may be any others, though they count up: no edges, offsets or numbers of rows."""
_OF_SIGNS = re.compile(
    r"\b((hinge_embedding|cosine_embedding|margin_ranking|soft_margin)_loss"
    r"|(HingeEmbedding|CosineEmbedding|MarginRanking|SoftMargin)Loss)\b"
)
"""Losses of labels that are one or minus one, by PyTorch's own words."""


class Roles(NamedTuple):
    """Which inputs are what, by their numbers."""

    hides: list[bool]
    """Of each, whether `forward` calls it a mask."""
    is_mask: list[bool]
    """Or flags, or whether it is labels of a loss of such."""
    are_positions: list[bool]
    """Whether it calls them so."""
    summed: list[int]
    """Of which an extent is the sum."""
    counted: tuple[int, ...]
    """What counts up from place to place."""
    trivial: list[int]
    """`Looks.trivial`."""
    told: tuple[int, ...]
    """`Looks.told`."""
    plain: list[int]
    """Such as say something, and that no other input says."""
    real: list[int]
    """Of these the continuous ones that are no masks."""
    fixed: list[int]
    """Of these what is the same in every draw."""
    moved: list[int]
    """What counts up, and is another in each draw."""


def roles_of(draws: Draws, names: Sequence[str], source: str, before: Sequence[torch.Tensor]) -> Roles:
    """Of some draws, by what `forward` calls the inputs, its text, and the `heads_of` another draw."""
    drawn, every = draws[0], range(len(draws[0]))
    hides, is_mask = [_MASK.search(name) is not None for name in names], _are_masks(names, draws, source)
    summed = [n for n in every if all(counts.is_summed(each[n], each) for each in draws)]
    are_positions = _are_called_positions(names, source)
    counted = draws.always((n for n in every if drawn[n].dim() > 1 or are_positions[n]), counts_up)
    alike = [n for n in draws.always(every, is_partly_trivial) if n not in summed]
    trivial = [n for n in alike if _says_nothing(n, draws, counted)]
    silent = [n for n in every if n in trivial or not draws.always([n], may_say)]
    said = tuple(sorted(set.intersection(*(set(told(each, silent)) for each in draws))))
    plain = [n for n in every if n not in (*trivial, *said) and _computes(drawn[n])]
    real = [n for n in plain if is_continuous(drawn[n]) and not is_mask[n]]
    same = [n for n in (*plain, *counted) if before and _is_same(n, drawn, before, heads_of(drawn), draws[1:])]
    fixed, moved = [n for n in plain if n in same], [n for n in counted if n not in (*plain, *said, *same)]
    return Roles(hides, is_mask, are_positions, summed, counted, trivial, said, plain, real, fixed, moved)


def _are_masks(names: Sequence[str], draws: Draws, source: str) -> list[bool]:
    """Which are called so, or flags, or are labels of a loss of such."""
    signs = _are_signs(draws) if _OF_SIGNS.search(source) else []
    return [bool(_MASK.search(name) or _FLAG.search(name)) or n in signs for n, name in enumerate(names)]


def _are_signs(draws: Draws) -> list[int]:
    """Which are ones and minus ones, and numbers."""
    some = draws.always(range(len(draws[0])), _are_of_size_one)
    return [number for number in some if has_both_signs(draws.together(number))]


def _are_called_positions(names: Sequence[str], source: str) -> list[bool]:
    """Of each input; none where a task searches, in times that are in order, say."""
    is_searched = operations.searches(source)
    return [not is_searched and _POSITIONS.search(name) is not None for name in names]


def _are_of_size_one(leaf: torch.Tensor) -> bool:
    return is_continuous(leaf) and not leaf.is_complex() and bool((leaf.abs() == 1).all())


def _says_nothing(number: int, draws: Sequence[Sequence[torch.Tensor]], counted: Sequence[int]) -> bool:
    """Whether it is one in all draws where it is a single number, for an index is drawn otherwise; and computes, and
    counts up only where that says nothing."""
    first = draws[0][number]
    is_one = first.numel() > 1 or all(torch.equal(each[number], first) for each in draws[1:])
    return is_one and _computes(first) and (number in counted or not counts_up(first))


def _is_same(number: int, drawn: Sequence[torch.Tensor], before: Sequence[torch.Tensor],
             heads: Sequence[torch.Tensor], others: Sequence[Sequence[torch.Tensor]]) -> bool:  # fmt: skip
    """Whether a tensor is the same in all draws."""
    is_head = torch.equal(before[number], heads[number])
    return is_head and all(torch.equal(each[number], drawn[number]) for each in others)


def _computes(leaf: torch.Tensor) -> bool:
    """Whether there is arithmetic for its type."""
    return leaf.dtype not in SIGNED and not is_float8(leaf)
