"""A tensor with some of another one's elements (a row, a column, or some of each), or its own in other places; one that
has hardly an inverse; and masks and graphs with hardly any ones.

NOT covered: what the other one is (distributions.py, redrawn.py).
"""

from __future__ import annotations

import math
import random
from typing import Any

import torch

from cuda_l1.inputs.traits import (
    COUNTED_AT_ONCE,
    LEAST_IN_ORDER,
    SIGNED,
    how_many,
    is_definite,
    is_float8,
    is_sorted,
    is_symmetric,
    kept_as,
)

FEW, THIN, FEWEST = "few", "thin", "fewest"
"""One row, one column, one element."""
OUTLYING, ALIKE, ALIKE_COLUMNS = "outlying", "alike", "alike columns"
"""One row, far out; and all rows, or columns, many of which are nearly the same."""
_STAY = 1 / 16
SINGULAR = "nearly singular"
"""What is positive definite with a smallest eigenvalue near zero: as it is drawn a few rounds of any solver do."""
_HALVINGS = 6
_FEW_BY_CHANCE, _MOST_BY_CHANCE, _FEWEST_BY_CHANCE = 1 / 4, 3 / 4, 256
"""Shares of zeros, and numbers."""
_BY_CHANCE, _SPREADS = 5.4, (-3.5, 7.0)
"""Deviations by which pairs of zeros are more than chance has, or less, and how they are spread."""
_LEAST_LEVELS, _AS_OTHERS, _SORTED = 15, 2.0, 1 << 16
"""Levels beside zero; how often it comes beside the one that comes most; and of how many numbers that is asked."""
_LEAST_OF_ONE, _MOST_OF_ONE = 1 / 8, 1 / 2
LEAST_LONG = 16
RELATED, DELAYED, CERTAIN = "related", "delayed", "certain"
"""Near rows of another tensor: what inputs have to do with one another, and weights; and some places later. And scores
of what is nearly always guessed right, and surely so."""
FAR_OUT = (OUTLYING, ALIKE, ALIKE_COLUMNS)
DEAD = ("dead", "dead rows", "dead columns")
"""Of which some rows are zero throughout, and a column, or one of the two."""
BLENDED, SHUFFLED, TURNED = "blended", "shuffled", "turned"
MIXED = (BLENDED, SHUFFLED, TURNED)
"""Of its own rows, see `mixed`."""
MOVED = {"moved up": 6.0, "moved down": -6.0}
"""By how much single numbers are off, so that limits behind them are reached where large ones are not drawn."""


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


def of_few(value: Any, made: Any, least: int) -> Any:
    """The latter, with half of its rows of a few of the former's integers alone, so many at least and half as many as a
    row has at most: how many are there twice among the first of them is any number then."""
    length, rows = value.shape[-1], value.shape[:-1]
    if length < LEAST_IN_ORDER or math.prod(rows) < LEAST_IN_ORDER or value.numel() > COUNTED_AT_ONCE:
        return made
    least = max(least, 2)
    few = least * torch.exp2(torch.rand([*rows, 1], device=value.device) * math.log2(length / 2 / least))
    chosen = value.gather(-1, (torch.rand(value.shape, device=value.device) * few).long())
    return torch.where(torch.rand([*rows, 1], device=value.device) < 1 / 2, chosen, made)


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
    apart = 0.08 / 2 ** (2.5 * float(torch.rand(())))  # by a tenth normal equations would err as little as passes
    return value.lerp(theirs, 1 - apart)


def with_dead(value: Any, how: str) -> Any:
    """Some of its rows zero, never the first, and one column, or one of the two (see `DEAD`); what is symmetric
    stays."""
    if is_symmetric(value):
        return value
    both, rows, columns = DEAD
    if how in (both, rows):
        few = some_of(len(value), value.device) & some_of(len(value), value.device)
        value = value.masked_fill(held_along(few | some_of(len(value), value.device, is_one=True), value, 0), 0)
    if how in (both, columns) and value.shape[1] > 1:
        value = value.masked_fill(held_along(some_of(value.shape[1], value.device, is_one=True), value, 1), 0)
    return value


def mixed(value: Any, how: str) -> Any:
    """The one tensor that others cannot be drawn for, of its own rows: BLENDED, each half another one, SHUFFLED, what
    is not zero of each in other places of it, or TURNED, in other places, some with the other sign. What sums to one
    does so still of the first two, columns too of the first, a triangle stays one of the second, and a rotation one of
    the third. Any other `how`: as it is."""
    if how not in MIXED or not value.dim() or not value.numel() or is_float8(value):
        return value
    if value.dtype in SIGNED:
        return mixed(value.view(SIGNED[value.dtype]), how).view(value.dtype)
    if how == SHUFFLED:
        return _shuffled(value)
    if len(value) < 2:
        return value
    other = value.roll(int(torch.randint(1, len(value), ())), 0)
    if not value.is_floating_point():
        return other
    if how == BLENDED:
        return value.lerp(other, 0.5)
    turned = torch.rand(len(value), device=value.device) < 1 / 2
    return torch.where(turned.view(-1, *(1 for _ in value.shape[1:])), -other, other)


def _shuffled(value: Any) -> Any:
    is_there = value != 0
    places, drawn = torch.arange(value.shape[-1], device=value.device), torch.rand(value.shape, device=value.device)
    kept = torch.where(is_there, places, len(places) + places).argsort(-1)
    taken = torch.where(is_there, drawn, 2.0 + places).argsort(-1)
    return value.scatter(-1, kept, value.gather(-1, taken))


def all_alike(value: Any, kind: str) -> Any:
    """ALIKE its rows; else its columns, and the items of a stack. Zeros stay where they are, but for such as a relu
    leaves."""
    if value.dim() < 2 or not value.numel() or has_placed_zeros(value):
        return value
    if kind == ALIKE:
        return kept_as(value, alike(value, value.dim() - 2))
    return kept_as(value, alike(alike(value, 0) if value.dim() > 2 else value, value.dim() - 1))


def has_placed_zeros(value: Any) -> bool:
    """Whether it has zeros that may say something by where they are: padding, a triangle's, what is off, and such as
    are most of all. Not what a relu leaves, or readings that are missing: of many numbers some zeros, beside one
    another as often as by chance. Nor one level of many, as a picture's numbers have, whatever these are divided by,
    and those of 16 bits; of few levels each may be a class or a flag. Nor what is zero by chance: of those that
    `torch.randn` draws one in 2^24."""
    value = torch.view_as_real(value) if value.is_complex() else value
    zeros, count = value == 0, value.numel()
    some = how_many(zeros)
    if not some:
        return False
    first = value.reshape(-1)[:_SORTED]  # to sort all of them takes a CPU a second
    share, (levels, times) = some / count, first[first != 0].unique(return_counts=True)
    if count < _FEWEST_BY_CHANCE or len(levels) < _LEAST_LEVELS:
        return True
    if share <= _AS_OTHERS * int(times.max()) / len(first):
        return False
    if share > _MOST_BY_CHANCE or bool((value == value.round()).all()):
        return True
    return any(_are_placed(zeros, along, share) for along in range(value.dim()))


def _are_placed(marks: Any, along: int, share: float) -> bool:
    """Whether marks are beside one another along a dimension more often than by chance, or less; or, where they are
    few, whether some places along it have more of them, or all as many, as of a diagonal."""
    extent, count = marks.shape[along], marks.numel()
    if extent == 1:
        return False
    both = marks.narrow(along, 1, extent - 1) & marks.narrow(along, 0, extent - 1)
    pairs = how_many(both) / both.numel()
    if abs(pairs - share**2) > _BY_CHANCE * share * ((1 + 2 * share - 3 * share**2) / count) ** 0.5:
        return True
    if share >= _FEW_BY_CHANCE:
        return False
    each = marks.movedim(along, 0).reshape(extent, -1).sum(1).double()
    spread = float((each - each.mean()).square().sum() / (each.mean() * (1 - share))) - (extent - 1)
    least, most = (times * (2 * (extent - 1)) ** 0.5 for times in _SPREADS)
    return not least <= spread <= most


def thinned(value: Any, *, has_whole: bool) -> Any:
    """A mask with one in sixteen of what few of its elements are, zeros or ones, and of each row that has some the
    first: what comes between two of these is longer than in any draw. An eighth of the rows have one alone, anywhere, a
    single row every other time. If it `has_whole` rows, an eighth are zero throughout, an eighth are ones, and as many
    but for one place (a single row is all of what most are); of a graph half of the nodes have the next one alone: a
    long way, of edges that have numbers too."""
    ones = value != 0
    if not bool((value[ones] == 1).all()):
        edges = _with_a_way(ones, ones) if has_whole else ones
        return torch.where(edges, torch.where(ones, value, value[ones].abs().mean()), 0)
    few = ones if 2 * int(ones.sum()) <= ones.numel() else ~ones
    stay = few & ((torch.rand(value.shape, device=value.device) < _STAY) | (few.cumsum(-1) == 1))
    is_alone = torch.rand([*value.shape[:-1], 1], device=value.device) < (1 / 8 if value.dim() > 1 else 1 / 2)
    stay = torch.where(is_alone, one_of(few), stay)
    made = stay if few is ones else ~stay
    if has_whole and value.dim() == 1:
        made = torch.zeros_like(ones) if few is ones else torch.ones_like(ones)
    elif has_whole and value.shape[-1] == value.shape[-2]:
        made = _with_a_way(made, ones)
    elif has_whole:
        chance = torch.rand([*value.shape[:-1], 1], device=value.device)
        made = torch.where(chance < 1 / 8, ~one_of(torch.ones_like(ones)), made)
        made = ((chance > 1 / 8) & (chance < 2 / 8) | made) & (chance < 7 / 8)
    return made.to(value.dtype)


def one_of(some: Any) -> Any:
    """Of each row of flags one that is set, by chance, if there is any."""
    drawn = torch.rand(some.shape, device=some.device).masked_fill(~some, -1)
    return some & torch.zeros_like(some).scatter_(-1, drawn.argmax(-1, keepdim=True), True)


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
    is_in = held_along(is_second == bool(number % 2), value, along).expand(value.shape)
    return is_in & is_in.mT if is_symmetric(value) else is_in


def in_items(value: Any) -> Any:
    """As a stack of items: of one where it has no long dimension but the first."""
    return value if any(extent >= LEAST_LONG for extent in value.shape[1:]) else value[None]


def spans(value: Any) -> Any:
    """Where each item is in a span of its own, an eighth to a half of one of its long dimensions, or of several.
    Nowhere where it has no long one."""
    items = in_items(value)
    shape, device = [len(items), *(1 for _ in items.shape[1:])], value.device
    long = [along for along in range(1, items.dim()) if items.shape[along] >= LEAST_LONG]
    inside = torch.full(items.shape, bool(long), device=device)
    one = torch.randint(0, max(len(long), 1), shape, device=device)
    for number, along in enumerate(long):
        extent = items.shape[along]
        share = torch.rand(shape, device=device) * (_MOST_OF_ONE - _LEAST_OF_ONE) + _LEAST_OF_ONE
        first = torch.rand(shape, device=device) * (1 - share)
        place = held_along(torch.arange(extent, device=device) / extent, items, along)
        is_other = (one != number) & (torch.rand(shape, device=device) < 1 / 2)
        inside &= is_other | ((place >= first) & (place < first + share))
    return inside.view(value.shape)


def definite_as(value: Any, other: Any) -> Any:
    """The other one if it is positive definite, as the first is; else the first, rows and columns together times what
    makes its diagonal as large as the other's."""
    if is_definite(other) or not is_definite(value):
        return other
    size = (other.diagonal(0, -2, -1) / value.diagonal(0, -2, -1)).abs().sqrt()
    return value * size[..., None] * size[..., None, :]


def inverted_as(value: Any, other: Any) -> Any:
    """The other one, positive definite as the first is; or positive, as the first is along a diagonal."""
    return definite_as(value, other) if is_symmetric(value) else torch.where(other == 0, value, other.abs())


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
    return held_along(chosen, value, along)


def held_along(line: Any, value: Any, along: int) -> Any:
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
