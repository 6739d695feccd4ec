"""What the inputs of a task are by the look of one draw: which say nothing, which say what another one says, counts,
positions, masks. Pure.

NOT covered: what is made of each (values.py), and which distributions come of it (sets.py).
"""

from __future__ import annotations

import ast
import contextlib
import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch

from cuda_l1.judge.traits import WIDE_INTEGERS, counts_up, is_band, is_float8, is_one_value, is_trivial
from cuda_l1.judge.verify import is_continuous

_MASK = re.compile("mask|pad|valid|keep|visible")
_PUTS = re.compile(r"\b(scatter\w*|index_(copy|put|fill|reduce)_?|put_)\b")
_BLANKS = re.compile("ctc|blank", re.IGNORECASE)
"""There zero is no token."""
_LEAST_IN_ORDER = 8
_LEAST_EQUAL = 1 / 8


class Looks(NamedTuple):
    """Indices of input tensors."""

    trivial: tuple[int, ...] = ()
    """See `traits.is_trivial`; but for `sums`."""
    told: tuple[int, ...] = ()
    """Of no floating point, or masks, and not trivial, and known to whoever knows an earlier one: equal to it, but for
    one number, or in no order and one place later or earlier, or of masks its opposite, within it or around it."""
    counts: tuple[tuple[int, int], ...] = ()
    """Of one number throughout, which may be larger: no masks, and no extents, which are whole lengths. Each with
    what it must stay below, an extent or a number that the module is made with; 0 for nothing."""
    positions: tuple[int, ...] = ()
    """Rows that count up, or down, where nothing is written to places: of two in one place either may be the last."""
    masks: tuple[int, ...] = ()
    """Of floating point, called a mask, and zero or one everywhere: nobody owes it other numbers."""
    fixed: tuple[int, ...] = ()
    """Of floating point, no masks and not trivial, and the same in two draws."""
    equal: tuple[int, ...] = ()
    """As those, and every row is the first."""
    sums: tuple[int, ...] = ()
    """Counts that are one number, no extent, and sum to one."""
    tokens: tuple[int, ...] = ()
    """Rows of integers in no order, of which none is zero."""


def look(
    drawn: Sequence[torch.Tensor], names: Sequence[str], source: str, init: Sequence[object] = (),
    before: Sequence[float] = (),
) -> Looks:  # fmt: skip
    """By the inputs of one draw, what the task's `forward` calls them, its text, what its module is made with, and the
    `sums_of` another draw."""
    sums = [_is_sum(leaf, drawn) for leaf in drawn]
    trivial = [is_trivial(leaf) and not is_sum for leaf, is_sum in zip(drawn, sums, strict=True)]
    masks = [_MASK.search(name) is not None for name in names]
    writes = _PUTS.search(source) is not None or any(_written(source))

    def those(found: Sequence[bool]) -> tuple[int, ...]:
        return tuple(number for number, one in enumerate(found) if one)

    each = list(zip(drawn, trivial, masks, strict=True))
    real = [is_continuous(leaf) and not (one or mask) for leaf, one, mask in each]
    same = [one == other for one, other in zip(sums_of(drawn), before, strict=True)] if before else [False] * len(each)
    limits = {value for value in init if type(value) is int}
    bounds = [_below(leaf, drawn, limits, is_mask=mask) if one else None for leaf, one, mask in each]
    return Looks(
        trivial=those(trivial),
        told=_told(drawn, trivial),
        counts=tuple((number, bound) for number, bound in enumerate(bounds) if bound is not None),
        positions=those([not writes and counts_up(leaf) for leaf in drawn]),
        masks=those([mask and is_continuous(leaf) and _is_binary(leaf) for leaf, _, mask in each]),
        fixed=those([one and other for one, other in zip(real, same, strict=True)]),
        equal=those([one and _has_equal_rows(leaf) for one, leaf in zip(real, drawn, strict=True)]),
        sums=those(sums),
        tokens=() if _BLANKS.search(source) else those([not one and _are_tokens(leaf) for leaf, one, _ in each]),
    )


def sums_of(drawn: Sequence[torch.Tensor]) -> list[float]:
    """By tensor, what tells one draw from another; no number for what is not computed with in floating point."""
    return [
        float(leaf.sum(dtype=torch.float64)) if leaf.dtype.is_floating_point and not is_float8(leaf) else math.nan
        for leaf in drawn
    ]


def names_of(source: str, count: int) -> list[str]:
    """What `Model.forward` calls its inputs; empty where its text does not say."""
    named: list[str] = []
    with contextlib.suppress(SyntaxError):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ClassDef) and node.name == "Model":
                forward = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "forward"]
                named = [arg.arg for one in forward for arg in (*one.args.posonlyargs, *one.args.args)][1:]
    return [*named, *[""] * count][:count]


def _written(source: str) -> Iterator[bool]:
    """Of each assignment whether it is to places of something."""
    with contextlib.suppress(SyntaxError):
        for node in ast.walk(ast.parse(source)):
            targets = node.targets if isinstance(node, ast.Assign) else []
            yield any(isinstance(each, ast.Subscript) for target in targets for each in ast.walk(target))


def _below(leaf: torch.Tensor, drawn: Sequence[torch.Tensor], limits: set[int], *, is_mask: bool) -> int | None:
    """What a count must stay below; None where it may not be larger."""
    if leaf.dtype is torch.bool or leaf.is_complex() or not is_one_value(leaf):
        return None
    number = float(leaf.reshape(-1)[0])
    if leaf.is_floating_point():
        return 0 if number and not is_mask else None
    extents = {extent for other in drawn for extent in other.shape}
    if number <= 1 or number in extents or (leaf.numel() > 1 and number * leaf.numel() in extents):
        return None
    bound = min((limit for limit in extents | limits if limit > number), default=0)
    return None if bound == number + 1 else bound


def _is_sum(leaf: torch.Tensor, drawn: Sequence[torch.Tensor]) -> bool:
    if leaf.dtype not in WIDE_INTEGERS or leaf.numel() < 2 or not is_one_value(leaf):
        return False
    extents = {extent for other in drawn for extent in other.shape}
    number = int(leaf.reshape(-1)[0])
    return number > 1 and number not in extents and number * leaf.numel() in extents


def _has_equal_rows(leaf: torch.Tensor) -> bool:
    return leaf.dim() > 1 and len(leaf) > 1 and bool((leaf == leaf[:1]).all())


def _are_tokens(leaf: torch.Tensor) -> bool:
    if leaf.dtype not in WIDE_INTEGERS or leaf.dim() < 2 or leaf.shape[-1] < _LEAST_IN_ORDER or not leaf.numel():
        return False
    return int(leaf.min()) > 0 and not bool((leaf.diff(dim=-1) >= 0).all())


def _is_binary(leaf: torch.Tensor) -> bool:
    return not leaf.is_complex() and leaf.numel() > 1 and bool(((leaf == 0) | (leaf == 1)).all())


def _told(drawn: Sequence[torch.Tensor], trivial: Sequence[bool]) -> tuple[int, ...]:
    said = [None if one else _said(leaf) for leaf, one in zip(drawn, trivial, strict=True)]
    return tuple(
        number
        for number, own in enumerate(said)
        if own is not None and any(one is not None and _tells(one, own) for one in said[:number])
    )


def _said(leaf: torch.Tensor) -> torch.Tensor | None:
    """A mask as booleans, whatever it is held as; nothing of other numbers."""
    if leaf.numel() and _is_binary(leaf):
        return leaf.bool()
    return None if is_continuous(leaf) or not leaf.numel() else leaf.long()


def _tells(one: torch.Tensor, own: torch.Tensor) -> bool:
    if own.dtype is torch.bool and one.dtype is torch.bool:
        if one.numel() != own.numel():
            return False
        here, there = own.reshape(-1), one.reshape(-1)
        both, a, b = int((here & there).sum()), int(here.sum()), int(there.sum())
        neither = here.numel() - a - b + both
        is_equal = a == b == both or (both == neither == 0)
        return is_equal or ((both in (a, b)) and not is_band(own))
    if one.numel() == own.numel() and _is_equal_but_for_one_number(one.reshape(-1), own.reshape(-1)):
        return True
    if not own.dim() == one.dim() > 0 or own.shape[-1] < _LEAST_IN_ORDER or bool((own.diff(dim=-1) >= 0).all()):
        return False  # of what is in order each may be where the next one ends
    return _is_a_place_off(one, own)


def _is_equal_but_for_one_number(one: torch.Tensor, own: torch.Tensor) -> bool:
    differs = one.long() != own.long()
    rest = own[differs]
    return float(differs.float().mean()) <= 1 - _LEAST_EQUAL and (not rest.numel() or is_one_value(rest))


def _is_a_place_off(one: torch.Tensor, own: torch.Tensor) -> bool:
    """Of rows as long, or one shorter."""
    pairs = [(own, one[..., 1:]), (own, one[..., :-1]), (own[..., 1:], one), (own[..., :-1], one)]
    pairs += [(own[..., 1:], one[..., :-1]), (own[..., :-1], one[..., 1:])]
    return any(torch.equal(a, b) for a, b in pairs)
