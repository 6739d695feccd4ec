"""What the inputs of a task are by the look of one draw: which say nothing, which say what another one says, counts,
positions, masks. Pure.

NOT covered: what is made of each (values.py), and which distributions come of it (sets.py).
"""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch

from cuda_l1.judge.values import counts_up, is_band, is_one_value, is_trivial
from cuda_l1.judge.verify import is_continuous

_MASK = re.compile("mask|pad|valid|keep|visible")
_PUTS = re.compile(r"\b(scatter\w*|index_(copy|put|fill|reduce)_?|put_)\b")
_LEAST_IN_ORDER = 8
_LEAST_EQUAL = 1 / 8


class Looks(NamedTuple):
    """Indices of input tensors."""

    trivial: tuple[int, ...] = ()
    """See `values.is_trivial`."""
    told: tuple[int, ...] = ()
    """Of no floating point, or masks, and not trivial, and known to whoever knows an earlier one: equal to it, but for
    one number, or one place later or earlier, or of masks its opposite, within it, around it or apart from it."""
    counts: tuple[int, ...] = ()
    """Of one number throughout, which may be larger: no masks, and no lengths of another tensor's rows."""
    positions: tuple[int, ...] = ()
    """Rows that count up, or down, where nothing is written to places: of two in one place either may be the last."""
    masks: tuple[int, ...] = ()
    """Of floating point, called a mask, and zero or one everywhere: nobody owes it other numbers."""
    ones: tuple[int, ...] = ()
    """Called a mask, and one everywhere: it has no sign."""


def look(drawn: Sequence[torch.Tensor], names: Sequence[str], source: str) -> Looks:
    """By the inputs of one draw, what the task's `forward` calls them, and its text."""
    trivial = [is_trivial(leaf) for leaf in drawn]
    masks = [_MASK.search(name) is not None for name in names]
    writes = _PUTS.search(source) is not None or any(_written(source))

    def those(found: Sequence[bool]) -> tuple[int, ...]:
        return tuple(number for number, one in enumerate(found) if one)

    each = list(zip(drawn, trivial, masks, strict=True))
    return Looks(
        trivial=those(trivial),
        told=_told(drawn, trivial),
        counts=those([one and _may_rise(leaf, drawn, is_mask=mask) for leaf, one, mask in each]),
        positions=those([not writes and counts_up(leaf) for leaf in drawn]),
        masks=those([mask and not one and _is_binary(leaf) and is_continuous(leaf) for leaf, one, mask in each]),
        ones=those([mask and one and is_continuous(leaf) and _is_binary(leaf) for leaf, one, mask in each]),
    )


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


def _may_rise(leaf: torch.Tensor, drawn: Sequence[torch.Tensor], *, is_mask: bool) -> bool:
    if leaf.dtype is torch.bool or leaf.is_complex() or not is_one_value(leaf):
        return False
    number = float(leaf.reshape(-1)[0])
    if leaf.is_floating_point():
        return number != 0 and not is_mask
    rows = [other.shape[leaf.dim() :] for other in drawn if other.shape[: leaf.dim()] == leaf.shape]
    return number > 1 and not any(number in extents for extents in rows)


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
        return is_equal or ((both in (0, a, b)) and not is_band(own))
    if one.numel() == own.numel() and _is_equal_but_for_one_number(one.reshape(-1), own.reshape(-1)):
        return True
    return own.dim() == one.dim() > 0 and own.shape[-1] >= _LEAST_IN_ORDER and _is_a_place_off(one, own)


def _is_equal_but_for_one_number(one: torch.Tensor, own: torch.Tensor) -> bool:
    differs = one.long() != own.long()
    rest = own[differs]
    return float(differs.float().mean()) <= 1 - _LEAST_EQUAL and (not rest.numel() or is_one_value(rest))


def _is_a_place_off(one: torch.Tensor, own: torch.Tensor) -> bool:
    """Of rows as long, or one shorter."""
    pairs = [(own, one[..., 1:]), (own, one[..., :-1]), (own[..., 1:], one), (own[..., :-1], one)]
    pairs += [(own[..., 1:], one[..., :-1]), (own[..., :-1], one[..., 1:])]
    return any(torch.equal(a, b) for a, b in pairs)
