"""What inputs are drawn as beside the task's own values: functions of each element that keep what a task may promise.
Used inside the worker only, but for the names.

NOT covered: which of them there are for a task (sets.py), and weights (redrawn.py).
"""

from __future__ import annotations

import math
import re
from typing import Any

import torch

from cuda_l1.inputs.bounds import split_bound
from cuda_l1.inputs.fills import (
    BLANKS,
    ENDS,
    FILLS,
    HIGH,
    LOW,
    OF_INTEGERS,
    STARTS,
    blanked,
    filled,
    masked_by,
    narrowed,
)
from cuda_l1.inputs.groups import EMPTIED, ONE_GAP, are_in_groups, crowded, emptied, with_one_gap
from cuda_l1.inputs.hidden import HIDES, hidden
from cuda_l1.inputs.parts import (
    ALIKE,
    ALIKE_COLUMNS,
    CERTAIN,
    DELAYED,
    FEW,
    RELATED,
    SINGULAR,
    THIN,
    all_alike,
    half,
    in_part,
    inverted_as,
    nearly_singular,
    permuted,
    thinned,
)
from cuda_l1.inputs.patterns import ABOVE, BELOW, LULLS, OF_DIGITS, PATTERNS, SIDES, one_sided, sided
from cuda_l1.inputs.traits import (
    LEAST_IN_ORDER,
    SIGNED,
    SMALL_INTEGERS,
    copied_along,
    counts_up,
    is_binary,
    is_continuous,
    is_float8,
    is_of_one_size,
    is_one_value,
    is_sorted,
    is_symmetric,
    is_trivial,
    kept_as,
    repeats,
    sorted_as,
)

INFINITIES, NANS = "infinities", "nans"
SPECIAL = {
    INFINITIES: re.compile(r"\bis(pos|neg)?inf|\bisfinite|\binf\b|\bnan_to_num"),
    NANS: re.compile(
        r"\bisnan|\bisfinite|\bnan\b|\bnan(_to_num|sum|mean|median|quantile)|(?<![\w.])(\w+) [!=]= \2(?![\w.(\[])"
        r"|\bfm(?:ax|in)\b|\b(?:eq|ne)\((\w+), \3\)|(?<![\w.])(\w+)\.(?:eq|ne)\(\4\)"
    ),
}
"""A few elements are minus infinity, as masks have it, or no number. A task promises nothing of them, and what goes
wrong is a note, unless its text speaks of them."""
LEANING, WIDE, OUTLIERS, FAINT = "leaning", "wide", "outliers", "faint"
"""Many of one sign: what is drawn around zero has a mean of hardly anything, and no trend, in every other draw.
And each times a power of two of its own, where signs cannot be changed: what is nearly one number is so otherwise.
Or a few far out. And next to nothing, where a task keeps the digits of that."""
DISTRIBUTIONS = ("signs", "negated", "negatives", LEANING, ABOVE, BELOW, OUTLIERS, "cubed", "large", "huge", FAINT,
                 "small", "tiny", "integers", "sparse", *BLANKS, ALIKE, ALIKE_COLUMNS, SIDES, RELATED, DELAYED, CERTAIN,
                 *PATTERNS, *FILLS, *SPECIAL)  # fmt: skip
"""What floating-point inputs are turned into for checks beside the task's own values: functions of each element, zero
at zero, so that a triangle stays a triangle and a symmetric matrix symmetric. A task may promise such a thing."""
RAISED, DOUBLED, ROLLED, REPEATED = "raised", "doubled", "rolled", "repeated"
"""Some of a tensor of one number larger: counts, or deviations; doubled where `FILLED` ones, of zeros, have no meaning.
And what another tensor tells, its values in other places; and of positions the first or the last several times."""
APART, ROWS_APART, PADDED = "apart", "rows apart", "padded"
SHARED, A_LITTLE, CROWDED = "shared", "shared a little", "crowded"
"""What is the same for many as it is drawn, each element a multiple of its own, or each row; counts that sum to what
they sum to as they are drawn, but are not equal; tokens that are what a task's text asks for. And of what is the same
in every draw a row, or a column, alone is another (`parts.FEW`, `parts.THIN`)."""
RENAMED, RARE, SELDOM = "renamed", "rare", "seldom"
"""Integers that stand for one another, but for negative ones; of masks rows, and of graphs columns with them. And flags
that come seldom: in some rows never, or always, where the reference bears that."""
_ALONE, _AND, _HALF, _STEPS = " of input ", ", ", " in half ", 64
_ROWS, _LEFT, _WITH = " rows", " left", " with "
HALVES, _WIDEST = 4, 6
FURTHEST = ("negated", "large", "huge")
_BEYOND, _STEPS_OF_REACH = " beyond ", 1009


def of_input(kind: str, *indices: int) -> str:
    """That distribution for one input tensor alone, or for some, while the others are the task's own."""
    return f"{kind}{_ALONE}{_AND.join(map(str, indices))}"


def split_kind(kind: str) -> tuple[str, tuple[int, ...] | None]:
    """A distribution, and which input tensors it is for; None for all."""
    name, _, indices = kind.partition(_ALONE)
    return name, tuple(map(int, indices.split(_AND))) if indices else None


def padded(token: float, *, is_left: bool, rows: bool = False) -> str:
    """PADDED, with that token; some `rows` with nothing else."""
    return f"{PADDED}{_ROWS if rows else ''}{_LEFT if is_left else ''}{_WITH}{token}"


def without_rows(kind: str) -> str:
    """PADDED, without such rows."""
    return kind.replace(PADDED + _ROWS, PADDED)


def in_half(kind: str, number: int) -> str:
    """That distribution in one half of each input alone, where another part of it must be as it is drawn."""
    return f"{kind}{_HALF}{number}"


_OUTLIERS, _OF_16_BITS, _FOLD, _SIGN_FOLD, _LEAN_FOLD = 8, 1 / 512, 97.409091, 61.803399, 38.196601
"""About so many elements are large where the others are as they were, and of 16 bits, which say the same often, such a
share: a look at a few does not find them. Which ones hangs on their values alone, by the fraction of a multiple."""


def drawn_as(value: Any, kind: str, seed: int, *, stays_definite: bool = False) -> Any:
    """As `varied`, positive definite as it was where it `stays_definite`, and what reaches furthest by a tenth to a
    quarter less, all inputs of a draw by as much, but where it is to reach beyond all that came before: else what a
    module keeps of the largest number that it has met would be the same from the first such draw on."""
    name, _, time = kind.partition(_BEYOND)
    if name in OF_DIGITS and value.dtype in SMALL_INTEGERS:  # none of which is zero, half a number on
        return PATTERNS[name](value.float() + 0.5, seed).floor().to(value.dtype)
    other = _in_pattern(value, name, seed) if name in PATTERNS and is_plain(value) else varied(value, name)
    if stays_definite:
        other = inverted_as(value, other)
    if name not in FURTHEST or not is_continuous(value) or is_float8(value):
        return other
    share = seed % _STEPS_OF_REACH / _STEPS_OF_REACH
    less = (1 + share) / 2 ** int(time) if time else 1 + 1.5 * share
    return other * (1 - less / 10)


def _in_pattern(value: Any, name: str, seed: int) -> Any:
    """Of complex numbers both parts come in the same one; a lull is one of both."""
    if not value.is_complex() or name == LULLS:
        return PATTERNS[name](value, seed)
    return torch.complex(*(PATTERNS[name](part.contiguous(), seed) for part in (value.real, value.imag)))


def is_plain(value: Any) -> bool:
    """Whether its rows may be any numbers: of floating point, not of eight bits, in no order, and none there twice; or
    complex."""
    is_real = bool(value.is_floating_point()) and not is_float8(value)
    return bool(value.is_complex()) or (is_real and not is_sorted(value) and (not repeats(value) or is_trivial(value)))


def beyond(kind: str, time: int) -> str:
    """One of `FURTHEST` that reaches further than any before it, the first time, the second and so on."""
    return f"{kind}{_BEYOND}{time}"


def varied(value: Any, kind: str) -> Any:
    """A tensor of the same kind with values of another distribution (one of these, or `near_one`, on which nothing is
    verified), sorted where it is; what is neither of floating point nor uniform stays."""
    if is_float8(value):
        return value if kind == FAINT else varied(value.float(), kind).to(value.dtype)  # which would be zero
    said = repeats(value)
    if said and kind != APART and not is_trivial(value):
        once = varied(value[..., ::2] if said == 2 else value[..., : value.shape[-1] // 2], kind)
        return once.repeat_interleave(2, -1) if said == 2 else torch.cat([once, once], -1)
    return sorted_as(value, _varied(value, kind))


def _varied(value: Any, kind: str) -> Any:
    if value.is_complex():
        if kind in FILLS:  # of which one may be zero throughout
            return torch.complex(varied(value.real, kind), varied(value.imag, kind))
        if kind == SIDES:
            return sided(value)
        if kind not in BLANKS:  # whose rows and columns are of numbers, and not of parts
            return torch.view_as_complex(varied(torch.view_as_real(value).contiguous(), kind))
    name, _, number = kind.partition(_HALF)
    if number:
        return torch.where(half(value, int(number)), _varied(value, name), value) if value.dim() else value
    name, bound = split_bound(kind)
    if name in (CROWDED, EMPTIED) and are_in_groups(value):
        return (crowded if name == CROWDED else emptied)(value, bound)
    if name == RAISED:
        return _raised(value, bound)
    if name in (SHARED, A_LITTLE, CROWDED):
        return _shared(value, bound, name)
    if kind == DOUBLED:
        return _raised(value, 0) if value.is_floating_point() or bool((value == 1).all()) else value
    if kind == ROLLED:
        return _rolled(value)
    if kind == REPEATED:
        return _repeated(value) if counts_up(value) else value
    if kind == ONE_GAP:
        return with_one_gap(value) if are_in_groups(value) else value
    if kind in FILLS:
        its = value.view(SIGNED.get(value.dtype, value.dtype))
        return filled(its, kind).view(value.dtype) if is_trivial(its) else value
    if kind in BLANKS:
        return blanked(value, kind)
    if kind == APART and not value.is_floating_point():
        return _copies_apart(value)
    if kind.startswith(PADDED):
        return masked_by(value, float(kind.partition(_WITH)[2]), STARTS if _LEFT in kind else ENDS, rows=_ROWS in kind)
    if kind.startswith(HIDES):
        return hidden(value, kind)
    if name in OF_INTEGERS:
        return OF_INTEGERS[name](value, *([bound] if bound else []))
    if kind == RENAMED:
        return _renamed(value)
    if kind in (RARE, SELDOM):
        return thinned(value, has_whole=kind == RARE)
    if kind in (HIGH, LOW):
        return narrowed(value, kind)
    if kind in (FEW, THIN):
        return _in_part(value, kind)
    return _of_numbers(value, kind) if value.is_floating_point() and kind not in PATTERNS else value


def _of_numbers(value: Any, kind: str) -> Any:
    if kind == APART:
        return kept_as(value, value * (0.5 + torch.rand_like(value)))
    if kind == ROWS_APART:
        return value * (0.5 + torch.rand([*value.shape[:1], *(1 for _ in value.shape[1:])], device=value.device))
    if kind in (ALIKE, ALIKE_COLUMNS):
        return all_alike(value, kind)
    if kind in ("signs", "negatives") and value.numel() > 1 and is_of_one_size(value):  # its values choose none or all
        return kept_as(value, torch.where(torch.rand(value.shape, device=value.device) < 1 / 2, -value, value))
    if kind == "signs":  # sums of one sign hide what their terms err by
        return torch.where(_folded(value, _SIGN_FOLD) < 0.5, -value, value)
    if kind == "negated":
        return -value
    if kind == LEANING:
        return _leaning(value)
    if kind in (ABOVE, BELOW):
        return one_sided(value, kind)
    if kind in (SINGULAR, SIDES):
        return nearly_singular(value) if kind == SINGULAR else sided(value)
    if kind == WIDE:
        return value * torch.exp2((_folded(value, _SIGN_FOLD) * (2 * _WIDEST + 1)).floor() - _WIDEST).to(value.dtype)
    if kind in (OUTLIERS, "negatives", *SPECIAL):
        share = max(_OUTLIERS / max(value.numel(), 1), _OF_16_BITS if value.element_size() == 2 else 0.0)
        chosen = (_folded(value, _FOLD) < share) & (value != 0)
        factor = {OUTLIERS: 64.0, "negatives": -1.0, NANS: math.nan}.get(kind)
        return torch.where(chosen, value.abs() * -math.inf if factor is None else value * factor, value)
    if kind == "cubed":
        return value**3
    if kind == "near_one":  # products of ten thousands keep their size
        return value.sign() * value.abs() ** 2**-16
    if kind == "large":  # as large where they are drawn from 0 to 1: an exponential of them overflows
        return value * (256 if value.dtype is not torch.float16 and bool((value.abs() <= 1).all()) else 64)
    if kind == "huge":  # beyond what a float16 holds, and any limit that a task may set
        return value * 2**20
    if kind == FAINT:  # below what guards a division
        return value if value.dtype is torch.float16 else value / 2**30
    if kind in ("small", "tiny"):  # tiny: below any limit that a task may set, and exp(x) - 1 still has its digits
        return value / (64 if kind == "small" else 1024)
    if kind == "integers":
        return (value * 4).round()
    return value.where(value.abs() > 0.5, value.new_zeros(()))


def _leaning(value: Any) -> Any:
    """Of all its numbers, or of a sixteenth at least, none is negative; in some draws in one half of its rows alone, so
    that they rise or fall."""
    share = 2.0 ** -int(torch.randint(0, 5, ()))
    chosen = torch.rand(value.shape, device=value.device) if is_of_one_size(value) else _folded(value, _LEAN_FOLD)
    chosen = chosen < share
    if value.dim() and torch.rand(()) < 1 / 2:
        chosen &= half(value, int(torch.randint(0, 2, ())))
    return kept_as(value, torch.where(chosen, value.abs(), value))


def _folded(value: Any, by: float) -> Any:
    """A number between 0 and 1 for each element, which its size alone tells: for equal ones the same."""
    return value.abs().float().mul_(by).frac_()


def _raised(value: Any, bound: int) -> Any:
    if value.dtype is torch.bool or not value.numel():
        return value
    if bound:
        if (least := int(value.max()) + 1) >= bound:  # another number than that by which the bound was found
            return value
        some = torch.rand(value.shape, device=value.device) < (1 / 3 if value.numel() > 1 else 1)
        is_last = torch.rand(value.shape, device=value.device) < (1 / 2 if value.numel() > 1 else 15 / 16)
        if value.numel() > 1:  # of a few none may be by chance
            place = int(torch.randint(0, value.numel(), ()))
            some.view(-1)[place], is_last.view(-1)[place] = True, True
        return torch.where(some, torch.where(is_last, bound - 1, torch.randint_like(value, least, bound)), value)
    if value.numel() == 1:  # a step, say
        return value if value.is_floating_point() else value * _STEPS
    if not is_trivial(value):
        return value
    more = 1 if value.is_floating_point() else 2 ** torch.randint(1, 4, value.shape, device=value.device) - 1
    return value * (1 + more * (torch.rand(value.shape, device=value.device) < 1 / 3)).to(value.dtype)


def _rolled(value: Any) -> Any:
    """Its values in other places: whole rows, which keep what they promise, and of a single one that is sorted the
    steps, so that it begins, rises and ends as it did."""
    if value.dim() > 1 and len(value) > 1:
        other = value.roll(int(torch.randint(1, len(value), ())), 0)
        if not torch.equal(other, value):
            return other
    flat = value.reshape(-1)
    steps = flat.long().diff()
    if flat.numel() > 2 and bool((steps >= 0).all() or (steps <= 0).all()):
        is_even = is_one_value(steps) and int(steps[0]) > 1
        steps = _shared(steps, 0) if is_even else steps[torch.randperm(len(steps), device=steps.device)]
        return torch.cat([flat[:1], (flat[0].long() + steps.cumsum(0)).to(flat.dtype)]).view(value.shape)
    return flat.roll(int(torch.randint(1, max(flat.numel(), 2), ()))).view(value.shape)


def _repeated(value: Any) -> Any:
    """Rows that begin, or end, as those of padded sentences do."""
    last = value.shape[-1] - 1
    places = torch.arange(last + 1, device=value.device)
    count = torch.randint(1, last + 1, (*value.shape[:-1], 1), device=value.device)
    at_end = torch.rand(count.shape, device=value.device) < 1 / 2
    return value.gather(-1, (places + torch.where(at_end, count, -count)).clamp(0, last))


def _shared(value: Any, bound: int, kind: str = SHARED) -> Any:
    """Of two counts of a row one has more by what the other has less: of all pairs or of one, and of one all that it
    may, so that no draw reaches further than another; by one, for A_LITTLE. CROWDED: one has all of several."""
    rows = value.reshape(-1, value.shape[-1]).clone()
    count, half = int(value.max()), rows.shape[1] // 2
    most = bound - 1 - count if bound else count * half
    places = torch.rand(rows.shape, device=value.device).argsort(-1)
    more, given, less = torch.zeros_like(rows[:, :half]), places[:, :half], places[:, half : 2 * half]
    if kind == CROWDED:
        more[:, : most // count], given = count, places[:, :1].expand_as(given)
    else:
        if kind == SHARED and torch.rand(()) < 1 / 2:
            more = torch.randint_like(more, 0, min(count, most) + 1)
        more[:, 0] = 1 if kind == A_LITTLE else min(count, most)
    rows.scatter_add_(1, given, more)
    return rows.scatter_add_(1, less, -more).view(value.shape)


def _is_graph(value: Any) -> bool:
    """Whether it is a square mask whose rows are no beginnings, ends or places."""
    if not is_binary(value) or value.dim() < 2 or value.shape[-1] != value.shape[-2]:
        return False
    changes, ones = (value[..., 1:] != value[..., :-1]).sum(-1), (value != 0).sum(-1)
    return not bool((changes <= 1).all() or (ones == 1).all())


def _copies_apart(value: Any) -> Any:
    """What is the same throughout along some dimensions, each copy but the first begun at another place."""
    copies, rows = copied_along(value) or ([], 0)
    for along in copies:
        first, *others = value.split(1, along)
        moved = [other.roll(int(torch.randint(1, other.shape[rows], ())), rows) for other in others]
        value = torch.cat([first, *moved], along)
    return value


def _in_part(value: Any, kind: str) -> Any:
    if _is_graph(value):
        return in_part(value, _renamed(value), kind)
    if is_binary(value) or not value.is_floating_point() or (is_symmetric(value.abs()) and not is_symmetric(value)):
        return value
    return in_part(value, kept_as(value, value * (0.5 + torch.rand_like(value))), kind)


def _renamed(value: Any) -> Any:
    if _is_graph(value):
        return permuted(value)
    if is_binary(value):
        return value.roll(int(torch.randint(1, max(len(value), 2), ())), 0)
    if value.dim() == 1 and bool(_rises(value).all()):
        return _rolled(value)
    names, which = value.unique(return_inverse=True)
    free = names >= 0
    names[free] = names[free].roll(int(torch.randint(1, max(int(free.sum()), 2), ())))
    return torch.where(_rises(value), value, names[which])


def _rises(value: Any) -> Any:
    """Which rows are in order, or columns where rows are short: ends of edges, say, stay so."""
    along = -1 if value.dim() == 1 or value.shape[-1] >= LEAST_IN_ORDER else 0
    return (value.diff(dim=along) >= 0).all(along, keepdim=True)
