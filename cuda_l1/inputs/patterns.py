"""A tensor's numbers in patterns over its places: in waves, in order, on paths, along one way, smooth, quiet at an end
or for a while, far to one side and then to the other. Noise has none of these, and what looks at one part after the
other meets them.

NOT covered: which inputs come so (sets.py), and what is a function of each number alone (distributions.py).
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import torch

from cuda_l1.inputs.parts import LEAST_LONG, has_placed_zeros, held_along, in_items, spans
from cuda_l1.inputs.squares import OF_INPUTS, as_square
from cuda_l1.inputs.traits import has_both_signs, is_symmetric, kept_as

WAVES, SIDES, RANKED = "waves", "sides", "ranked"
"""Signs and sizes that come in waves; all far to one side, and then to the other; the largest beside one another."""
ABOVE, BELOW = ONE_SIDED = ("above zero", "below zero")
"""All of one sign: the least of many is above a limit then, or the largest of many below one."""
SMOOTH, LULLS = "smooth", "lulls"
"""What lies side by side is nearly the same, or what comes some places later is; and spans of hardly anything."""
OF_DIGITS = (SMOOTH, LULLS)
"""What integers of 8 and 16 bits are too: pictures and sound."""
ORDERED = tuple(f"ordered {number}" for number in range(1, 4))
"""The same numbers in order, along the last long dimension, the one before it, and the first of three."""
PATHS = tuple(f"paths {number}" for number in range(1, 10))
"""Rows on the way from one of them to another, of the first in few steps, of the last in many."""
_SHORTEST, _FLIPPED, _LEAST_FAR, _FAR, _ROOT = 4, 1 / 8, 3, 6, 1 / 16
_QUIET_LAST, _QUIET_FIRST = (tuple(f"quiet {end} {number}" for number in range(1, 4)) for end in ("last", "first"))
QUIET = (*_QUIET_LAST, *_QUIET_FIRST)
"""Hardly anything at the end, or at the beginning, of the first for a short while, of the last for up to a half."""
WAYS = ("one way", "one short way")
"""Matrices in which one way leads through all places: what is on it is far more, or far less, than all else."""
_OFF_THE_WAY = 2.0**-20
"""A thousandth where a root is taken of it first."""
_LEAST_QUIET, _SHORTEST_QUIET, _LONGEST_QUIET, _QUIETER = 32, 1 / 32, 1 / 2, 2.0**-10
_SCALES, _AS_BEFORE, _LEAST_SIDE = 6, 7 / 8, 4
_LEVELS, _MOST_ORDERED, _MOST_RANKED = 32, {"cpu": 1 << 22, "cuda": 1 << 26}, {"cpu": 1 << 24, "cuda": 1 << 26}
_FEW_RANKED, _LEAST_IN_TURN = 8, 16
_FROM_ZERO = 3.0
_UNEVEN = 1 / 8
"""Of a step, at most: by so much one place of a path may be further on."""


def waved(value: Any, seed: int) -> Any:
    """Its numbers in a plane wave, the same for all inputs of a draw: signs change with it, but for some, if there are
    two, and sizes, down to an eighth. So what lies side by side is alike, and what is early not as what is late."""
    chance, angle = random.Random(seed), torch.zeros((), device=value.device)
    angle = angle + chance.random()
    for along in reversed(range(value.dim())):
        extent, share = value.shape[along], chance.choice((0.0, 0.0, chance.random()))
        turns = 0.5 * max(extent / _SHORTEST, 1.0) ** share
        places = torch.arange(extent, device=value.device) * (turns / max(extent, 1))
        angle = angle + held_along(places, value, along)
    wave = torch.cos(angle * (2 * math.pi)).expand(value.shape)
    made = value * torch.exp2(1.5 * wave - 1.5).to(value.dtype)
    if has_both_signs(value):
        flipped = torch.rand(value.shape, device=value.device) < _FLIPPED
        made = torch.where((wave < 0) ^ flipped, -made.abs(), made.abs())
    return kept_as(value, made)


def ranked(value: Any, seed: int) -> Any:
    """Its numbers in other places along the longest of its dimensions: of half its items the largest come first, one
    beside the other, of the rest as many places apart as a power of two, of each another one, or so far that a few
    dozen go into a row, whatever that is a multiple of. Of few items each is both, in its halves. Noise has them
    anywhere, and so hardly ever together in what is looked at one part after the other. Not where sorting takes
    seconds."""
    if not 0 < value.numel() <= _MOST_RANKED[value.device.type] or not value.dim() or has_placed_zeros(value):
        return value
    chance, along = random.Random(seed), max(range(value.dim()), key=lambda n: value.shape[n])
    lines = value.movedim(along, -1)
    made = lines.sort(dim=-1, descending=True).values.reshape(-1, value.shape[along])
    if len(made) >= _FEW_RANKED:
        made = _largest_together(made, chance)
    else:
        halves = made[:, : made.shape[1] // 2 * 2].unflatten(-1, (-1, 2)).mT  # every other of the largest each
        halves = _largest_together(halves.reshape(-1, halves.shape[-1]), chance)
        made[:, : made.shape[1] // 2 * 2] = halves.view(len(made), -1)
    return kept_as(value, made.view(lines.shape).movedim(-1, along))


def _largest_together(rows: Any, chance: random.Random) -> Any:
    """Rows that fall, half of them in steps of many places: half of these divide the row, where a number can."""
    made, extent = rows.contiguous(), rows.shape[-1]
    each, rest = torch.arange(extent, device=rows.device), made[chance.randrange(2) :: 2]
    steps = [2**power for power in range(1, extent.bit_length() - 1)]
    drawn = chance.sample(steps, min(len(steps), len(rest)))
    in_turn = [many for many in range(_LEAST_IN_TURN, 8 * _LEAST_IN_TURN) if extent % many == 0 and extent > many]
    drawn[::2] = [extent // chance.choice(in_turn) for _ in drawn[::2]] if in_turn else drawn[::2]
    for number, step in enumerate(drawn):
        apart = ((each % step) * extent + each // step).argsort()
        some = rest[number :: len(drawn)]
        some.copy_(torch.empty_like(some).index_copy_(1, apart, some))
    return made


def ordered(kind: str, value: Any, seed: int) -> Any:
    """The same numbers in other places: they rise along one of its dimensions, or fall, and of items every other one
    the other way. Who looks at how large all of them are, and at how many are, finds nothing, but some rows have all
    that is large, and what comes one after the other adds up. Which of two inputs is larger stays so where one of them
    is everywhere, and zeros that may be padding or of a triangle stay where they are. In some 32 levels at most, and
    not what lies far from zero, so that rows keep a spread that one pass finds; nor what would take seconds to sort."""
    long = _long_dimensions(value)
    number = ORDERED.index(kind)
    if number >= len(long) or value.numel() > _MOST_ORDERED[value.device.type]:
        return value
    if abs(float(value.float().mean())) > _FROM_ZERO * float(value.float().std()):
        return value
    lines = value.movedim(long[number], -1)
    apart = max(lines.shape[-1] // _LEVELS, 1)
    count = lines.shape[-1] // apart * apart
    some, falls = lines[..., :count].unflatten(-1, (-1, apart)), bool(seed % 2)
    if has_placed_zeros(value):
        some = _but_zeros_in_order(some, falls=falls, are_items=long[number] > 0)
    else:
        some = some.sort(-2, descending=falls).values
        if long[number]:
            some[::2] = some[::2].flip(-2)
    made = torch.cat([some.flatten(-2), lines[..., count:]], -1)
    return kept_as(value, made.movedim(-1, long[number]).contiguous())


def _but_zeros_in_order(values: Any, *, falls: bool, are_items: bool) -> Any:
    """What is not zero rises, or falls, along the last dimension but one, and of items every other one the other
    way."""
    there, rises = values != 0, torch.full((len(values), *[1] * (values.dim() - 1)), not falls, device=values.device)
    if are_items:
        rises[::2] = falls
    rising, places = values.masked_fill(~there, math.inf).sort(-2).values, there.cumsum(-2) - 1
    places = torch.where(rises, places, there.sum(-2, keepdim=True) - 1 - places)
    return torch.where(there, rising.gather(-2, places.clamp_min(0)), 0)


def _long_dimensions(value: Any) -> list[int]:
    """Along which there are enough numbers for a pattern, from the last on: a short row may be a box, or a place."""
    last = value.dim() - 1
    return [n for n in range(last, -1, -1) if value.shape[n] >= (_LEAST_SIDE if n < last else LEAST_LONG)]


def on_paths(kind: str, value: Any, seed: int) -> Any:
    """Its rows lie on lines from some of them to the next, in steps of nearly one length, of so many for all inputs of
    a draw that a line is a quarter of them at most: what is near is so one after the other, and nothing is near all. In
    steps of one length each would have two neighbours as near, and which is taken is free. What is true of any mean of
    two rows is so of these; where there are both signs all of them are two to five times as large, so that lines seldom
    meet, or one after the other more and more, up to eight times, so that of all lengths of a step some are there."""
    rows = value.shape[-2] if value.dim() > 1 else 0
    if rows < LEAST_LONG or has_placed_zeros(value):
        return value
    chance = random.Random(seed)
    share = (PATHS.index(kind) + chance.random()) / len(PATHS)
    drawn = torch.Generator(value.device).manual_seed(seed)  # one for all inputs: a box has two rows that are one's
    by = torch.rand(rows, generator=drawn, device=value.device) * _UNEVEN
    made = _on_lines(value, value.dim() - 2, 2 * (rows / 8) ** share, by)
    if not has_both_signs(value):
        return kept_as(value, made)
    if PATHS.index(kind) % 2:
        return kept_as(value, made * 2 ** (_LEAST_FAR * chance.uniform(0.3, 0.8)))
    far = torch.exp2(torch.arange(rows, device=value.device) * (_LEAST_FAR / rows)).to(value.dtype)
    return kept_as(value, made * far[:, None])


def _on_lines(value: Any, along: int, steps: float, by: Any = 0.0) -> Any:
    """What is there along that dimension lies on lines, each of so many places; each place is further on `by` so much
    of one."""
    places = (torch.arange(value.shape[along], device=value.device) + by) / steps
    begun = places.floor().long()
    on, ends = held_along((places - begun).to(value.dtype), value, along), value.index_select(along, begun + 1)
    return value.index_select(along, begun).lerp(ends, on.expand(ends.shape))


def quiet(kind: str, value: Any, seed: int) -> Any:
    """Its numbers hardly anything from some place on, or up to one, the same share of each of its long dimensions and
    of all inputs of a draw: what is far away says more then than what is near, in a state that fades by a constant too,
    forwards or backwards."""
    kinds = _QUIET_FIRST if kind in _QUIET_FIRST else _QUIET_LAST
    share = (kinds.index(kind) + random.Random(seed).random()) / len(kinds)
    left = _SHORTEST_QUIET * (_LONGEST_QUIET / _SHORTEST_QUIET) ** share
    is_loud = torch.ones((), dtype=torch.bool, device=value.device)
    for along, extent in enumerate(value.shape):
        if extent >= _LEAST_QUIET:
            loud = torch.arange(extent, device=value.device) < round(extent * (1 - left))
            is_loud = is_loud & held_along(loud.flip(0) if kinds is _QUIET_FIRST else loud, value, along)
    return kept_as(value, torch.where(is_loud, value, value * _QUIETER))


def on_one_way(kind: str, value: Any, seed: int) -> Any:
    """Of each row and column of its matrices one number is as it was and the others hardly anything, or the other way
    round; or two, where they are not square: rows lead to columns then, and these to the next rows. These numbers lead
    from one place to the next through all of them, the same for all inputs of a draw. In a dense matrix each place is
    next to every other, so that what goes along it is everywhere at once."""
    if not bears_one_way(value.shape, has_both_signs=has_both_signs(value)) or has_placed_zeros(value):
        return value
    drawn = torch.Generator().manual_seed(seed)  # on the host: the same way on any device
    sides, places = value.shape[-2:], torch.arange(max(value.shape[-2:]))
    is_next = torch.zeros(sides, dtype=torch.bool, device=value.device)
    rows, columns = (torch.randperm(side, generator=drawn)[places % side].to(value.device) for side in sides)
    if has_squares(value.shape):
        is_next[rows, rows.roll(-1)] = True
        if is_symmetric(value):
            is_next |= is_next.T.clone()
    else:
        is_next[rows, columns] = True
        is_next[rows.roll(-1), columns] = True
    return kept_as(value, torch.where(is_next ^ (kind == WAYS[0]), value * _OFF_THE_WAY, value))


def bears_one_way(shape: Sequence[int], *, has_both_signs: bool) -> bool:
    """Whether numbers of that shape are matrices whose rows and columns are long, square ones or of one sign."""
    return has_squares(shape) or (len(shape) > 1 and min(shape[-2:]) >= LEAST_LONG and not has_both_signs)


def has_squares(shape: Sequence[int]) -> bool:
    """Whether numbers of that shape are square matrices whose rows are long."""
    return len(shape) > 1 and shape[-1] == shape[-2] >= LEAST_LONG


def smoothed(value: Any, seed: int) -> Any:
    """In half of its items the numbers lie on lines from some of them to others as many places on, along each of its
    dimensions; in the others they are mostly what they were as many places before, along the longest. How many, is
    another number in each item, up to a half of all. What is true of any mean of two numbers is so of these."""
    chance, made = random.Random(seed), in_items(value).clone()
    long = [along for along in _long_dimensions(made) if along]
    if not long or has_placed_zeros(value):
        return value
    for number, scale in enumerate(chance.sample(range(_SCALES), _SCALES)):
        share, some = (scale + chance.random()) / _SCALES, made[number::_SCALES]
        if (number + seed) % 2:
            for along in long:
                some.copy_(_on_lines(some, along, 2 * (some.shape[along] / 4) ** share))
        else:
            along = max(long, key=lambda n: made.shape[n])
            extent = some.shape[along]
            before = torch.arange(extent, device=value.device) % round(4 * max(extent / 16, 1.0) ** share)
            some.copy_(some.lerp(some.index_select(along, before), _AS_BEFORE))
    return kept_as(value, made.view(value.shape))


def lulled(value: Any, _seed: int) -> Any:
    """Hardly anything for a while: what is said of noise, beside the loudest of all, is not so in each part of it."""
    return kept_as(value, torch.where(spans(value), value * _QUIETER, value))


def sided(value: Any) -> Any:
    """All of it far from zero, by 8 to 64 times: in one half of its items above, in the other below. Where it has one
    sign, or is complex, all of it is near one in size instead: gates and decays that let something through for long."""
    if value.is_complex():
        return torch.polar(value.abs() ** _ROOT, value.angle())
    if not has_both_signs(value):
        return value.sign() * value.abs() ** _ROOT
    along = next(n for n, extent in enumerate(value.shape) if extent > 1)
    places = torch.arange(value.shape[along], device=value.device)
    below = held_along(places < len(places) // 2, value, along)
    if bool(torch.rand(()) < 1 / 2):
        below = ~below
    far = value.abs() * 2 ** (_LEAST_FAR + (_FAR - _LEAST_FAR) * float(torch.rand(())))
    return kept_as(value, torch.where(below, -far, far))


def one_sided(value: Any, kind: str) -> Any:
    """ABOVE or BELOW, all of it some three times as far from zero as is usual, but for zeros: further away, or of more
    sizes, scores would be large and near one another, which takes a softmax's digits. What has one sign stays."""
    if not value.numel() or not has_both_signs(value):
        return value
    size = value.abs().float()
    usual = size.square().mean().sqrt()
    far = _FROM_ZERO * usual * (size / usual) ** _ROOT
    return kept_as(value, (far if kind == ABOVE else -far).to(value.dtype))


_OF_SEVERAL = (
    (ORDERED, ordered),
    (PATHS, on_paths),
    (QUIET, quiet),
    (WAYS, on_one_way),
    (OF_INPUTS, as_square),
)
PATTERNS: dict[str, Callable[[Any, int], Any]] = {
    WAVES: waved,
    SMOOTH: smoothed,
    LULLS: lulled,
    RANKED: ranked,
    **{kind: functools.partial(made, kind) for kinds, made in _OF_SEVERAL for kind in kinds},
}
"""What hangs on a tensor's places, and by a seed that is the same for all inputs of a draw."""
