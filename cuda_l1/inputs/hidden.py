"""What there is nothing of, or less, or more: rows that a mask hides, or that are padding throughout, lengths and
positions that are less than any that is drawn, lengths of zero too, and such as are beyond all that are. Which inputs
may have such by the look of a draw and by the task's text, and these drawn so. Pure.

NOT covered: padding by a number that is never drawn (fills.py), and when any is asked for (sets.py).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import torch

from cuda_l1.inputs import asks, operations
from cuda_l1.inputs.bounds import below, split_bound
from cuda_l1.inputs.fills import filled_planes, with_one
from cuda_l1.inputs.integers import is_apart
from cuda_l1.inputs.traits import WIDE_INTEGERS, is_band, is_binary, is_continuous, is_one_value

HIDDEN, ALL_HIDDEN, SOME = "hidden rows", "all hidden", "some"
SHORTER, LONGER, EARLIER = "shorter", "longer", "earlier"
NEARLY_HIDDEN, AS_ASKED = "nearly hidden", "as asked"
"""Of a task's labels, say, hardly any are not ignored: less than it takes of them. And a single number is one that the
text asks it for: a step by which a stage begins."""
HIDES = (HIDDEN, ALL_HIDDEN, NEARLY_HIDDEN, SOME, SHORTER, LONGER, EARLIER, AS_ASKED)
OF_LENGTHS = (SHORTER, LONGER, EARLIER, AS_ASKED)
_WITH, _SOME, _FARTHEST, _HARDLY_ANY = " with ", 1 / 4, 4, 1 / 64


class MayHide(NamedTuple):
    """Which inputs may, by number."""

    free: Mapping[int, bool]
    """Others in each draw, and said by none; whether `forward` calls it a mask."""
    limited: Sequence[int]
    """That may be below a limit."""
    other: Sequence[int]
    """Others in each draw, which may be lengths."""
    untold: Sequence[int]
    """Others in each draw, and said by none; positions that count up too."""
    are_positions: Sequence[bool]
    """Whether `forward` calls each input so."""
    limits: Collection[int]
    """Numbers that the module is made with."""


def how_hidden(
    those: MayHide, draws: Sequence[Sequence[Any]], names: Sequence[str], asked: Mapping[str, Collection[float]],
    source: str,
) -> tuple[tuple[int, str], ...]:  # fmt: skip
    """The distributions of all of them that there are by most draws, each with its input's number."""
    hiding_kinds = (
        (n, kind)
        for n, hides in those.free.items()
        for kind in hiding([each[n] for each in draws], asked.get(names[n], ()), is_mask=hides)
    )
    found = Counter(each for drawn in draws for each in _less(those, drawn, names, asked, source))
    limited = asks.limits_of_places(source)
    placed = [n for n in those.untold if those.are_positions[n] or asks.LENGTHS.search(names[n]) or names[n] in limited]
    many = asks.say_how_many(source)
    placed += [n for n in those.untold if draws[0][n].numel() == 1 and n not in placed and names[n] not in many]
    more = [(n, kind) for n in placed for kind in _more(n, draws, those, source)]
    for n in those.untold:
        kinds = _as_asked([each[n] for each in draws], asked.get(names[n], ()), may_be_more=names[n] not in many)
        more += [(n, kind) for kind in kinds]
    more += [(n, EARLIER) for n in those.untold if _may_be_earlier([each[n] for each in draws], those.are_positions[n])]
    return (*hiding_kinds, *(each for each, count in found.items() if 2 * count > len(draws)), *more)


def _less(
    those: MayHide, drawn: Sequence[Any], names: Sequence[str], asked: Mapping[str, Collection[float]], source: str
) -> Iterator[tuple[int, str]]:
    for n in those.limited:
        yield from ((n, kind) for kind in below_limits(drawn[n], names[n], source))
    for n in those.other:
        yield from ((n, kind) for kind in shorter(n, names, drawn, asked, source))


def hiding(draws: Sequence[Any], asked: Collection[float], *, is_mask: bool) -> list[str]:
    """The distributions of an input that may hide all, as it is in some draws: a mask, or integers with numbers that
    the task asks for. All of it is that number; and some of its rows are, where it has rows, and that number is among
    them in any draw."""
    value = draws[0]
    if is_mask:
        is_one = all(map(is_binary, draws)) and not all(map(is_band, draws))
        numbers = [0.0, 1.0] if is_one else []
    else:
        are_some = not is_continuous(value) and value.dtype is not torch.bool and value.numel() > 1
        numbers = sorted(asked) if are_some else []
    are_there = {number for number in numbers if is_mask or any(bool((each == number).any()) for each in draws)}
    of_rows = [number for number in numbers if value.dim() > 1 and number in are_there]
    kinds = [*((HIDDEN, number) for number in of_rows), *((ALL_HIDDEN, number) for number in numbers)]
    kinds += [(NEARLY_HIDDEN, number) for number in numbers if not is_mask and number in are_there]
    return [f"{kind}{_WITH}{number:.15g}" for kind, number in kinds]


def below_limits(value: Any, name: str, source: str) -> list[str]:
    """The distributions of integers of which some are below a limit that the task takes them up to, as lengths of zero
    are in `lengths.clamp(min=1)`, or above one that it takes them down to; none where they have such as they are drawn,
    nor, below, where `lengths - 1` may be a place, of which there is none for zero. None below zero: labels have a
    number there that is ignored, and no other."""
    if is_continuous(value) or value.dtype is torch.bool or value.numel() < 2 or not name:
        return []
    part = _part(name)
    limit = rf"(?:{part}\.|torch\.)cl(?:amp|ip)(?:_min)?_?\((?:{part},)?\s*(?:min=)?(-?\d+)\b"
    both = r"(?:min=)?-?\d+,\s*(?:max=)?"
    upper = rf"(?:{part}\.|torch\.)cl(?:amp|ip)(?:_max_?\(|_?\((?=[^()]*,|max=))(?:{part},)?\s*(?:{both}|max=)?(\d+)\)"
    module = asks.of_module(source)
    numbers = {int(least) - 1 for least in re.findall(limit, module)} if not _may_be_place(name, module) else set()
    numbers = {number for number in numbers if 0 <= number < int(value.min())}
    above = (int(most) + 1 for most in re.findall(upper, module))
    numbers |= {number for number in above if int(value.max()) < number <= torch.iinfo(value.dtype).max}
    return [f"{SOME}{_WITH}{number}" for number in sorted(numbers)]


def _part(name: str) -> str:
    """What finds an input in a text, and what is called on it or taken of it."""
    return rf"\b{re.escape(name)}(?:\.\w+\([^()]*\)|\[[^\[\]]*\])*"


def _may_be_place(name: str, module: str) -> bool:
    """Whether one less than it may be a place: there is none for zero."""
    return re.search(rf"{_part(name)}\s*-\s*1\b(?!\)\.(?:clamp|clip))", module) is not None


def shorter(
    number: int, names: Sequence[str], drawn: Sequence[Any], asked: Mapping[str, Collection[float]], source: str
) -> list[str]:
    """The distributions of lengths of which some are less than any that is drawn: down to a quarter, and zero, or
    another number, where the task asks them for it. None where they sum to an extent, or another input says what they
    are, or what they are no less than. And `SOME` are zero, as rows are that a mask hides altogether."""
    value, name = drawn[number], names[number]
    if not asks.LENGTHS.search(name) and name not in asks.limits_of_places(source):
        return []
    if value.dtype not in WIDE_INTEGERS or value.numel() < 2 or is_one_value(value):
        return []
    others = [other for other in drawn if other is not value and other.numel() > 1]
    if any(int(value.sum()) in other.shape or _say_lengths(other, value) for other in others):
        return []
    least = int(value.min())
    numbers = sorted({int(one) for one in asked.get(name, ()) if one in range(least)})
    may_be_none = least > 0 and 0 not in numbers and not _may_be_place(name, asks.of_module(source))
    found = [SHORTER, *(f"{SHORTER}{_WITH}{one}" for one in numbers), *([f"{SOME}{_WITH}0"] if may_be_none else [])]
    return found[least < 2 :]


def _more(number: int, draws: Sequence[Sequence[Any]], those: MayHide, source: str) -> list[str]:
    """The distribution of lengths, or positions, of which some are beyond all that are drawn: up to the next larger
    extent of what has their rows. Of positions beyond all extents, which are numbers like others, as single ones by any
    name are, up to the next larger number that the module is made with, and up to twice that where the task cuts
    something off; or further."""
    value = draws[0][number]
    if value.dtype not in WIDE_INTEGERS or not value.numel():
        return []
    most = max(int(each[number].max()) for each in draws)
    others = [other for other in draws[0] if other is not value]
    within = {extent for other in others if other.shape[: value.dim()] == value.shape
              for extent in other.shape[value.dim() :]}  # fmt: skip
    if not those.are_positions[number] and value.numel() > 1:
        bounds = [] if most in within else [min((extent for extent in within if extent > most), default=-1) + 1]
        return [below(LONGER, bound) for bound in bounds if bound]
    if most in within and not those.are_positions[number]:  # as many as there are
        return []
    if bounds := [extent for extent in within if extent > most]:
        return [below(LONGER, min(bounds))]
    if any(extent > most for other in others for extent in other.shape):
        return []
    bounds = sorted(limit for limit in those.limits if limit > most)[:1]
    bounds += [2 * bound for bound in bounds] if operations.cuts_off(source) else []
    return [below(LONGER, bound) for bound in bounds] or [LONGER]


def _as_asked(leaves: Sequence[Any], asked: Collection[float], *, may_be_more: bool) -> list[str]:
    """The distributions of a single integer that the text asks for numbers which no draw is; unless it `may_be_more`
    than any, for something is as long, none beyond all of these."""
    if leaves[0].dtype not in WIDE_INTEGERS or leaves[0].numel() != 1:
        return []
    drawn, most = {int(leaf) for leaf in leaves}, torch.iinfo(leaves[0].dtype).max
    most = most if may_be_more else max(drawn)
    numbers = {int(number) for number in asked if 0 <= number <= most and number == int(number)} - drawn
    return [f"{AS_ASKED}{_WITH}{number}" for number in sorted(numbers)]


def _may_be_earlier(leaves: Sequence[Any], are_positions: bool) -> bool:
    """Whether positions may come before all that are drawn, as a step that is one of the first does. And so may a
    single number, whatever it counts or names."""
    if leaves[0].dtype not in WIDE_INTEGERS or not (leaves[0].numel() == 1 or (are_positions and leaves[0].numel())):
        return False
    return min(int(leaf.min()) for leaf in leaves) > 1


def _say_lengths(other: Any, lengths: Any) -> bool:
    """Whether it may: rows that end there, with what is the same from there on; numbers that they are no less than, or
    in order; or what is no rows of theirs."""
    if other.shape == lengths.shape:
        if is_continuous(other):
            return False
        numbers = other.long()  # unsigned ones have no differences
        is_in_order = bool((numbers.diff(dim=-1) >= 0).all())  # where each begins, say
        return is_in_order or bool((numbers <= lengths).all())
    if other.shape[: lengths.dim()] != lengths.shape:
        return not is_continuous(other) and not is_apart(lengths, other)
    within = other.reshape(*lengths.shape, other.shape[lengths.dim()], -1)
    differs = (within != within[..., -1:, :]).any(-1)
    ends = (differs * torch.arange(1, differs.shape[-1] + 1, device=other.device)).amax(-1)
    is_short = lengths < differs.shape[-1]
    return bool((ends == lengths)[is_short].float().mean() > 1 / 2)


def hidden(value: Any, kind: str) -> Any:
    """An input as that distribution."""
    if kind.startswith(LONGER):
        return _lengthened(value, split_bound(kind)[1])
    if kind == EARLIER:
        return _moved_back(value)
    name, _, number = kind.partition(_WITH)
    if name == SHORTER:
        return _shortened(value, number)
    if name in (ALL_HIDDEN, AS_ASKED):
        return torch.full_like(value, float(number))
    if name == NEARLY_HIDDEN:
        stays = with_one(torch.rand(value.shape, device=value.device) < _HARDLY_ANY)
        return torch.where(stays, value, int(number))
    if name == SOME:
        return value.masked_fill(with_one(torch.rand(value.shape, device=value.device) < _SOME), int(number))
    return filled_planes(value, float(number), value.dim())


def _shortened(value: Any, number: str) -> Any:
    """Lengths of which some are that number, or less than all others; the largest stay, which may be an extent."""
    least = int(value.min())
    if is_one_value(value) or (not number and least < 2):  # in this draw, unlike in the one by which that was asked
        return value
    lowest = least // 4 or 1  # a frame or two may hide all, where frames are made of many samples
    less = torch.full_like(value, int(number)) if number else torch.randint_like(value, lowest, least)
    drawn = torch.rand(value.shape, device=value.device).masked_fill(value == value.max(), 2)
    is_least = drawn == drawn.min()
    less = less if number else less.masked_fill(is_least, lowest)
    return torch.where((drawn < _SOME) | is_least, less, value)


def _lengthened(value: Any, bound: int) -> Any:
    """Some of them beyond all others, one the last below the bound, or at some times all others; of rows, and of what
    is in order, whole ones by one step each."""
    last = bound - 1 if bound else min(max(int(value.max()), 1) * _FARTHEST, torch.iinfo(value.dtype).max)
    room = last - int(value.max())
    if room <= 0:  # in this draw, unlike in those by which that was asked
        return value
    most = value.amax(-1, keepdim=True) if _are_rows(value) else value
    some = torch.rand(most.shape, device=value.device) < _SOME
    place = int(torch.randint(0, most.numel(), ()))
    further = last - (torch.rand(most.shape, device=value.device) * room).long()
    some.view(-1)[place], further.view(-1)[place] = True, last
    return value + torch.where(some, further.to(value.dtype) - most, 0)


def _moved_back(value: Any) -> Any:
    """Some positions before all others, down to one, as often between one and two as between a hundred and two hundred,
    for the first steps matter most; one is the first, a single one in half of the draws. Of rows, and of what is in
    order, whole ones by one step each."""
    least = int(value.min())
    if least < 2:  # in this draw, unlike in those by which that was asked
        return value
    begins = value.amin(-1, keepdim=True) if _are_rows(value) else value
    place = int(torch.randint(0, begins.numel(), ()))
    some = torch.rand(begins.shape, device=value.device) < _SOME
    before = (least ** torch.rand(begins.shape, device=value.device, dtype=torch.float64)).to(value.dtype)
    some.view(-1)[place] = True
    if begins.numel() > 1 or bool(torch.rand(()) < 1 / 2):
        before.view(-1)[place] = 1
    return value + torch.where(some, before - begins, 0)


def _are_rows(value: Any) -> bool:
    """Whether it has rows of positions, or is one, in order."""
    return value.dim() > 1 or (value.dim() == 1 and value.numel() > 1 and bool((value.diff() >= 0).all()))
