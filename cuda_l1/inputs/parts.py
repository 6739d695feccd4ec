"""A tensor with some of another one's elements (a row, a column, or some of each), or its own in other places; and one
that has hardly an inverse.

NOT covered: what the other one is (distributions.py, redrawn.py).
"""

from __future__ import annotations

import math
import random
from typing import Any

import torch

from cuda_l1.inputs.traits import has_both_signs, is_float8, is_sorted, is_symmetric, kept_as

FEW, THIN, FEWEST = "few", "thin", "fewest"
"""One row, one column, one element."""
OUTLYING, ALIKE, ALIKE_COLUMNS = "outlying", "alike", "alike columns"
"""One row, far out; and all rows, or columns, many of which are nearly the same."""
_STAY = 1 / 16
SINGULAR = "nearly singular"
"""What is positive definite with a smallest eigenvalue near zero: as it is drawn a few rounds of any solver do."""
_HALVINGS, _MOST_ROWS = 6, 2048
WAVES, SIDES, RELATED, RANKED = "waves", "sides", "related", "ranked"
"""Signs and sizes that come in waves; all far to one side, and then to the other; and what has to do with others."""
PATHS = tuple(f"paths {number}" for number in range(1, 7))
"""Rows on the way from one of them to another, of the first in few steps, of the last in many."""
_LEAST_LONG, _FLIPPED, _LEAST_FAR, _FAR, _ROOT, _LEAST_ON_A_PATH = 4, 1 / 8, 3, 6, 1 / 16, 16
_QUIET_LAST, _QUIET_FIRST = (tuple(f"quiet {end} {number}" for number in range(1, 4)) for end in ("last", "first"))
QUIET = (*_QUIET_LAST, *_QUIET_FIRST)
"""Hardly anything at the end, or at the beginning, of the first for a short while, of the last for up to a half."""
_LEAST_QUIET, _SHORTEST_QUIET, _LONGEST_QUIET, _QUIETER = 32, 1 / 32, 1 / 2, 2.0**-10
FAR_OUT = (OUTLYING, ALIKE, ALIKE_COLUMNS)


def in_part(value: Any, other: Any, how: str = "", seed: int | None = None) -> Any:
    """The tensor with some of the other one's rows, in some of their columns, and never in the first; all of it where
    there is but one. FEW and OUTLYING are one row, THIN one column (one place along every dimension but the first),
    FEWEST one element: a look at some rows, columns or elements does not find them. Under seeds that differ in their
    last two bits alone these lie beside one another, and half of the tensor on: no look at every second one, or at one
    half, sees all four."""
    if not value.dim() or len(value) < 2 or not value.numel() or value.is_conj() or is_float8(value):
        return other
    is_narrow = how in (THIN, FEWEST)
    chosen = _some(value, 0, seed, is_one=how in (FEW, FEWEST, OUTLYING))
    for along in range(1, value.dim()) if is_narrow else range(1, value.dim())[-1:]:
        if value.shape[along] > 1:
            chosen = chosen & _some(value, along, seed, is_one=is_narrow)
    made = torch.where(chosen, other, value)
    loses_order = is_sorted(value) and not is_sorted(other, has_ties=True)
    return made if loses_order or (is_symmetric(value) and not is_symmetric(other)) else kept_as(value, made)


def alike(value: Any, along: int) -> Any:
    """Its rows, or columns, are mostly some of them, each many times: about as many as the root of their number. None
    are equal, none longer than they were, and what sums to one does so still."""
    count = value.shape[along]
    some = int(count ** (0.4 + 0.15 * float(torch.rand(()))))
    if some < 2:
        return value
    drawn = torch.randperm(count, device=value.device)[:some]
    which = torch.randint(0, some, (count,), device=value.device)
    which[drawn] = torch.arange(some, device=value.device)  # which stay: of one near another the rest is next to none
    theirs = value.index_select(along, drawn[which])
    return value.lerp(theirs, 0.85 + 0.1 * float(torch.rand(())))


def thinned(value: Any, *, has_whole: bool) -> Any:
    """A mask with one in sixteen of what few of its elements are, zeros or ones, and of each row that has some the
    first: what comes between two of these is longer than in any draw. If it `has_whole` rows, an eighth are zero
    throughout and an eighth are ones (a single row is all of what most are); of a graph half of the nodes have the next
    one alone: a long way, of edges that have numbers too."""
    ones = value != 0
    if not bool((value[ones] == 1).all()):
        edges = _with_a_way(ones, ones) if has_whole else ones
        return torch.where(edges, torch.where(ones, value, value[ones].abs().mean()), 0)
    few = ones if 2 * int(ones.sum()) <= ones.numel() else ~ones
    stay = few & ((torch.rand(value.shape, device=value.device) < _STAY) | (few.cumsum(-1) == 1))
    made = stay if few is ones else ~stay
    if has_whole and value.dim() == 1:
        made = torch.zeros_like(ones) if few is ones else torch.ones_like(ones)
    elif has_whole and value.shape[-1] == value.shape[-2]:
        made = _with_a_way(made, ones)
    elif has_whole:
        chance = torch.rand([*value.shape[:-1], 1], device=value.device)
        made = ((chance < 1 / 8) | made) & (chance < 7 / 8)
    return made.to(value.dtype)


def _with_a_way(made: Any, ones: Any) -> Any:
    """A graph in which half of the nodes lead to the next one alone, and to themselves where they did; both ways where
    it leads back everywhere, and to the one before where edges lead back alone."""
    count = made.shape[-1]
    if not bool(ones.triu(1).any()):
        return _with_a_way(made.mT, ones.mT).mT if bool(ones.tril(-1).any()) else made
    places = torch.arange(count, device=made.device)
    is_on_it = places >= count // 2
    way = (is_on_it & (places < count - 1))[:, None] & (places[:, None] + 1 == places)
    way = way | (is_on_it[:, None] & torch.eye(count, dtype=torch.bool, device=made.device) & ones)
    if torch.equal(ones, ones.mT):
        made = torch.where(is_on_it | is_on_it[:, None], False, made.tril() | made.tril().mT)
        way[..., count // 2, 0] = True
        return made | way | way.mT
    return torch.where(is_on_it[:, None], way, made)


def half(value: Any, number: int) -> Any:
    """Where the first or the second half of a tensor is, along its last dimension or its first; of one that is
    symmetric along both."""
    along = (value.dim() - 1, 0)[number // 2]
    place = torch.arange(value.shape[along], device=value.device)
    is_second = place >= value.shape[along] // 2
    is_in = _held_along(is_second == bool(number % 2), value, along).expand(value.shape)
    return is_in & is_in.mT if is_symmetric(value) else is_in


def is_definite(value: Any) -> bool:
    """Whether it is symmetric and positive definite, and no larger than is soon told."""
    if value.element_size() < 4 or not is_symmetric(value) or value.shape[-1] > _MOST_ROWS:
        return False
    return bool((torch.linalg.cholesky_ex(value).info == 0).all())


def definite_as(value: Any, other: Any) -> Any:
    """The other one if it is positive definite, as the first is; else the first, rows and columns together times what
    makes its diagonal as large as the other's."""
    if is_definite(other) or not is_definite(value):
        return other
    size = (other.diagonal(0, -2, -1) / value.diagonal(0, -2, -1)).abs().sqrt()
    return value * size[..., None] * size[..., None, :]


def nearly_singular(value: Any) -> Any:
    """A positive definite one, or a stack of such, with less along the diagonal: what is left of the smallest
    eigenvalue is about a 64th of the least number there. Zeros stay."""
    unit = torch.eye(value.shape[-1], dtype=value.dtype, device=value.device)
    least = value.diagonal(0, -2, -1).amin(-1).clamp_min(0)[..., None, None]
    taken, step = torch.zeros_like(least), least
    for _ in range(_HALVINGS):
        step = step / 2
        holds = torch.linalg.cholesky_ex(value - (taken + step) * unit).info == 0
        taken = torch.where(holds[..., None, None], taken + step, taken)
    return value - (taken - step / 2).clamp_min(0) * unit


def permuted(value: Any) -> Any:
    """A square one, or a stack of such, its rows and columns in other places, both in the same."""
    places = torch.randperm(value.shape[-1], device=value.device)
    return value[..., places, :][..., places]


def _some(value: Any, along: int, seed: int | None, *, is_one: bool) -> Any:
    """Which places along a dimension: a mask."""
    count = value.shape[along]
    at = None if seed is None else _place_under(seed, along, count)
    chosen = some_of(count, value.device, is_one=is_one, at=at)
    return _held_along(chosen, value, along)


def _held_along(line: Any, value: Any, along: int) -> Any:
    """One number for each place along a dimension, to be held against the whole tensor."""
    return line.view([-1, *(1 for _ in value.shape[along + 1 :])])


def _place_under(seed: int, along: int, count: int) -> int:
    """One of so many along a dimension, and never the first: which, what is left of the seed without its last two bits
    says, and they how far from there."""
    first = random.Random(f"{seed >> 2} {along}").randrange(count - 1)
    half = count // 2
    return 1 + (first + (0, half, 1, half + 1)[seed & 3]) % (count - 1)


def some_of(count: int, device: Any, *, is_one: bool = False, at: int | None = None) -> Any:
    """Of so many places, two or more, some half, or one, and never the first; `at` is one of them."""
    chosen = torch.rand(count, device=device) < (0 if is_one else 1 / 2)
    chosen[0], chosen[int(torch.randint(1, count, ())) if at is None else at] = False, True
    return chosen


def waved(value: Any, seed: int) -> Any:
    """Its numbers in a plane wave, the same for all inputs of a draw: signs change with it, but for some, if there are
    two, and sizes, down to an eighth. So what lies side by side is alike, and what is early not as what is late."""
    chance, angle = random.Random(seed), torch.zeros((), device=value.device)
    angle = angle + chance.random()
    for along in reversed(range(value.dim())):
        extent, share = value.shape[along], chance.choice((0.0, 0.0, chance.random()))
        turns = 0.5 * max(extent / _LEAST_LONG, 1.0) ** share
        places = torch.arange(extent, device=value.device) * (turns / max(extent, 1))
        angle = angle + _held_along(places, value, along)
    wave = torch.cos(angle * (2 * math.pi)).expand(value.shape)
    made = value * torch.exp2(1.5 * wave - 1.5).to(value.dtype)
    if has_both_signs(value):
        flipped = torch.rand(value.shape, device=value.device) < _FLIPPED
        made = torch.where((wave < 0) ^ flipped, -made.abs(), made.abs())
    return kept_as(value, made)


def ranked(value: Any, seed: int) -> Any:
    """Its numbers in other places along the longest of its dimensions: of half its items the largest come first, one
    beside the other, of the rest as many places apart as a power of two, of each another one. Noise has them anywhere,
    and so hardly ever together in what is looked at one part after the other."""
    if not value.numel() or not value.dim() or bool((value == 0).any()):  # zeros may be padding, or of a triangle
        return value
    chance, along = random.Random(seed), max(range(value.dim()), key=lambda n: value.shape[n])
    extent = value.shape[along]
    lines = value.movedim(along, -1)
    made = lines.sort(dim=-1, descending=True).values.reshape(-1, extent)
    each, rest = torch.arange(extent, device=value.device), made[chance.randrange(2) :: 2]
    steps = [2**power for power in range(1, extent.bit_length() - 1)]
    for number, step in enumerate(chance.sample(steps, min(len(steps), len(rest)))):
        apart = ((each % step) * extent + each // step).argsort()
        some = rest[number :: len(steps)]
        some.copy_(torch.empty_like(some).index_copy_(1, apart, some))
    return kept_as(value, made.view(lines.shape).movedim(-1, along))


def on_paths(kind: str, value: Any, seed: int) -> Any:
    """Its rows lie on lines from some of them to the next, in steps of one length, of so many for all inputs of a draw
    that a line is a quarter of them at most: what is near is so one after the other, and nothing is near all. What is
    true of any mean of two rows is so of these; where there are both signs all of them are up to eight times as large,
    so that lines seldom meet."""
    rows = value.shape[-2] if value.dim() > 1 else 0
    if rows < _LEAST_ON_A_PATH or bool((value == 0).any()):
        return value
    chance = random.Random(seed)
    share = (PATHS.index(kind) + chance.random()) / len(PATHS)
    places = torch.arange(rows, device=value.device) / (2 * (rows / 8) ** share)
    begun = places.floor().long()
    along, ends = (places - begun).to(value.dtype)[:, None], value.index_select(-2, begun + 1)
    made = value.index_select(-2, begun).lerp(ends, along)
    return kept_as(value, made * 2 ** (_LEAST_FAR * chance.random()) if has_both_signs(value) else made)


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
            is_loud = is_loud & _held_along(loud.flip(0) if kinds is _QUIET_FIRST else loud, value, along)
    return kept_as(value, torch.where(is_loud, value, value * _QUIETER))


def sided(value: Any) -> Any:
    """All of it far from zero, by 8 to 64 times: in one half of its items above, in the other below. Where it has one
    sign, or is complex, all of it is near one in size instead: gates and decays that let something through for long."""
    if value.is_complex():
        return torch.polar(value.abs() ** _ROOT, value.angle())
    if not has_both_signs(value):
        return value.sign() * value.abs() ** _ROOT
    along = next(n for n, extent in enumerate(value.shape) if extent > 1)
    places = torch.arange(value.shape[along], device=value.device)
    below = _held_along(places < len(places) // 2, value, along)
    if bool(torch.rand(()) < 1 / 2):
        below = ~below
    far = value.abs() * 2 ** (_LEAST_FAR + (_FAR - _LEAST_FAR) * float(torch.rand(())))
    return kept_as(value, torch.where(below, -far, far))
