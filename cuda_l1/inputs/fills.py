"""Zeros and other single numbers where a tensor holds others, and others where it says nothing: rows that are off,
masks that hide, padding. Used inside the worker only, but for the names.

NOT covered: which inputs are drawn so (looks.py, sets.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any

import torch

from cuda_l1.inputs.bits import many_bits
from cuda_l1.inputs.integers import (
    are_in_no_order,
    are_lists,
    are_merges,
    are_parents,
    comes_again,
    leads_on,
    names_rows,
    padding_of,
    rows_come_again,
)
from cuda_l1.inputs.parts import held_along, of_few, some_of, spans
from cuda_l1.inputs.traits import (
    LEAST_IN_ORDER,
    LEAST_NODES,
    SMALL_INTEGERS,
    WIDE_INTEGERS,
    counts_up,
    has_rows_of_integers,
    is_continuous,
    is_flags,
    is_symmetric,
)
from cuda_l1.inputs.ways import as_chain, as_edges, as_neighbours, as_one_list, parted

FILLED, STARTS, ENDS = "filled", "filled starts", "filled ends"
FILLS = (FILLED, STARTS, ENDS)
"""Of what says nothing as it is drawn: in single places, from the beginning of each row on, or up to its end."""
AGAIN, UNEVEN, PARTED, IN_ORDER, MANY_BITS = "again", "uneven", "parted ways", "in order", "many bits"
SOME_AGAIN = "now and again"
"""Integers that come several times, beside one another and elsewhere, or elsewhere alone; masks that hide nearly
nothing, or all; tables in which two ways never meet; integers that rise from place to place, or fall; and words in
which most bits are set."""
HIGH, LOW, LEAST = "high", "low", "least rows"
"""Integers in an eighth of their range, where it ends or begins; rows, and items of a stack, of the least of them."""
BLANK, BLANK_COLUMNS, BLANK_PLANES, BLANK_SLICES = "blank rows", "blank columns", "blank planes", "blank slices"
BLANK_SPANS, NOTHING = "blank spans", "nothing"
BLANKS = (BLANK, BLANK_COLUMNS, BLANK_PLANES, BLANK_SLICES, BLANK_SPANS, NOTHING)
"""Zeros: tokens that are padding, features that are off, items and channels that are, and channels in all items; and
one part of each item: silence in a recording, a black part of a picture. And zeros throughout, as no gradient has."""
_FAR, _STAY, _NEXT, _MOST_IN_RUNS, _MOST_COORDINATES = 8.0, 1 / 16, 31 / 32, 1 << 28, 4


def masked_by(value: Any, token: float, end: str, *, rows: bool = False) -> Any:
    """Where rows end, or begin; in single places where there are no rows, that token is negative and not there, or
    these are of floating point. And some `rows`, and items of a stack, throughout."""
    is_real = is_continuous(value)
    number = token if is_real else int(token)
    is_there = value.dim() > 1 and not is_real and bool((value == number).any())
    if is_there:
        first, last = (int((value.select(-1, at) == number).sum()) for at in (0, -1))
        chosen = _ends(value, STARTS if first > last else ENDS, are_few=False)
    elif value.dim() > 1 and token >= 0 and not is_real:
        chosen = _ends(value, end)
    else:
        chosen = torch.rand(value.shape, device=value.device) < 1 / 4
        chosen.view(-1)[0], chosen.view(-1)[int(torch.randint(1, value.numel(), ()))] = False, True
    masked = value.masked_fill(chosen, number)
    return filled_planes(masked, number, value.dim()) if rows else masked


def filled(value: Any, kind: str) -> Any:
    """A trivial tensor with other values in some places: a state that begins at zero, a mask that hides nothing,
    lengths, positions, types."""
    if counts_up(value):
        return value.gather(-1, torch.rand(value.shape, device=value.device).argsort(-1))
    if kind == FILLED and value.is_floating_point() and not bool(value.any()):
        far = torch.rand(value.shape, device=value.device) < 1 / 8
        return torch.randn_like(value) * torch.where(far, _FAR, 1.0).to(value.dtype)
    if value.numel() == 1 and value.dtype is not torch.bool:
        return torch.randint_like(value, 1, int(value)) if int(value) > 1 else torch.ones_like(value) - value
    if value.numel() == 1 or kind == FILLED:
        chosen = torch.rand(value.shape, device=value.device) < (1 / 3 if value.numel() > 1 else 1)
        if value.numel() > 1:  # what hides all has no one meaning, nor has what a causal mask looks at first
            chosen.narrow(_along(value), 0, 1).fill_(False)
    else:
        chosen = _ends(value, kind)
    if value.dtype is torch.bool:
        return value ^ chosen
    if value.is_floating_point():
        return value.masked_fill(chosen, 0) if bool(value.any()) else torch.where(chosen, torch.randn_like(value), 0)
    first = int(value.reshape(-1)[0])
    if first > 1:  # lengths, counts: less of them
        return torch.where(chosen, torch.randint_like(value, 1, first), value)
    filled = value.masked_fill(chosen, 1 if first == 0 else 0)
    return filled.sort().values if first == 0 and value.dim() == 1 else filled  # which of some batch each is, say


def _ends(value: Any, kind: str, *, are_few: bool = True) -> Any:
    """Of half of the rows, never the first of several, the beginning or the end: up to a quarter in some draws, where
    they may be few, and up to seven eighths in others, so that no look at some rows, or a part of each, finds it."""
    shape, along, eighths = value.shape, _along(value), 2 if are_few and torch.rand(()) < 1 / 2 else 7
    rows, most = [*shape[:along], 1, *shape[along + 1 :]], shape[along] * eighths // 8
    count = torch.randint(1, max(most, 1) + 1, rows, device=value.device)
    if count.numel() > 1:
        count *= some_of(count.numel(), value.device).view(rows)
    place = torch.arange(shape[along], device=value.device).view([-1, *(1 for _ in shape[along + 1 :])])
    return place < count if kind == STARTS else place >= shape[along] - count


def _along(value: Any) -> int:
    """The dimension of its rows."""
    return max(index for index, extent in enumerate(value.shape) if extent > 1)


def blanked(value: Any, kind: str) -> Any:
    """With zeros, as one of `BLANKS`."""
    if not is_continuous(value):
        return value
    if kind == NOTHING:
        return torch.zeros_like(value)
    if kind == BLANK_SPANS:
        off = spans(value)
        return value.masked_fill(off | off.mT if is_symmetric(value) else off, 0)
    if kind in (BLANK_PLANES, BLANK_SLICES):
        return filled_planes(value, 0, value.dim() - 1) if kind == BLANK_PLANES else _blanked_slices(value)
    if kind == BLANK_COLUMNS:
        return _blanked_rows(value.transpose(-1, -2)).transpose(-1, -2) if value.dim() > 1 else value
    return _blanked_rows(value)


def with_one(places: Any) -> Any:
    """Some places, one of them at least: of a few none may be chosen by chance."""
    places.view(-1)[int(torch.randint(0, places.numel(), ()))] = True
    return places


def _blanked_rows(value: Any) -> Any:
    """Zero in some of its rows, or elements of one; in the same columns too where it is square, or a symmetric matrix
    would be none."""
    if not value.dim() or value.numel() < 2:
        return value
    blank = torch.rand(value.shape[:-1] if value.dim() > 1 else value.shape, device=value.device) < 1 / 4
    if blank.numel() > 1:
        with_one(blank)
    if value.dim() == 1:
        return value.masked_fill(blank, 0)
    if value.shape[-1] == value.shape[-2]:
        return value.masked_fill(blank[..., None] | blank[..., None, :], 0)
    return _filled_items(value, blank, 0)


def _blanked_slices(value: Any) -> Any:
    """Zero in all of its items at some places along each other dimension, never at the first: channels that are off for
    a whole batch. Of square ones along both of the last two."""
    is_square = value.dim() > 1 and value.shape[-1] == value.shape[-2]
    for along in range(1, value.dim() - is_square):
        if value.shape[along] > 1:
            blank = _some_off(value.shape[along], value.device)
            value = value.masked_fill(held_along(blank, value, along), 0)
            if is_square and along == value.dim() - 2:
                value = value.masked_fill(blank, 0)
    return value


def least_rows(value: Any) -> Any:
    """Integers, in some rows and items the least that is not below zero, which may stand for what is ignored, and in
    others all but a few; of booleans none there, as who is nobody's neighbour has them."""
    if is_continuous(value) or value.dim() < 2:
        return value
    least, rows, device = 0 if value.dtype is torch.bool else least_of(value), (*value.shape[:-1], 1), value.device
    shares = value.shape[-1] ** -torch.rand(rows, device=device)  # as often one to two as a hundred to two hundred
    few = torch.rand(rows, device=device) < 1 / 8
    few.view(-1)[0] = False
    is_left_out = few & (torch.rand(value.shape, device=device) > shares)
    return filled_planes(value, least, value.dim()).masked_fill(is_left_out, least)


def least_of(value: Any) -> int:
    """The least of its integers that is not below zero, if there is one."""
    least, most = value.aminmax()
    if int(least) >= 0 or int(most) < 0:
        return int(least)
    return int(torch.where(value < 0, most, value).min())  # to index by a mask takes 8 bytes an element and dimension


def may_be_least(leaf: Any, asked: Container[float]) -> bool:
    """Whether some of its rows may be the least of its numbers throughout: of two rows, as of edges, neither."""
    return leaf.dim() > 1 and leaf.shape[:-1].numel() > 2 and least_of(leaf) not in asked


def filled_planes(value: Any, number: float, deepest: int) -> Any:
    """With that number in some items along the first dimension, along the first two and so on, never in the first."""
    for depth in range(1, deepest):
        count = math.prod(value.shape[:depth])
        if count > 1:
            value = _filled_items(value, _some_off(count, value.device).view(value.shape[:depth]), number)
    return value


def _filled_items(value: Any, off: Any, number: float) -> Any:
    """With that number throughout items, or rows, that are off; and of some others everywhere but in one place, so that
    a look at a part of each does not find which are. What is empty, as a cache may begin, stays."""
    if not value.numel():
        return value
    nearly = (torch.rand(off.shape, device=off.device) < 1 / 16) & ~off
    nearly.view(-1)[0] = False
    filled = value.masked_fill((off | nearly).view(*off.shape, *[1] * (value.dim() - off.dim())), number)
    before, items = (each.reshape(off.numel(), -1) for each in (value, filled))
    place = torch.randint(items.shape[1], (off.numel(), 1), device=off.device)
    kept = torch.where(nearly.view(-1, 1), before.gather(1, place), items.gather(1, place))
    return items.scatter_(1, place, kept).view(value.shape)


def _some_off(count: int, device: Any) -> Any:
    """Of so many, two or more, about an eighth, and never the first."""
    off = torch.rand(count, device=device) < 1 / 8
    off[0], off[int(torch.randint(1, count, ()))] = False, True
    return off


def again(value: Any) -> Any:
    """Integers of which a quarter are the ones before them in their row, and a quarter a single one, or few alone, and
    in half of the rows nearly all the ones before them; of two rows, as of edges, of neighbours, and of parents a long
    way too (see `ways.as_edges`). Of eight and sixteen bits, and of flags, nothing but such rows."""
    if are_parents(value):
        places = torch.arange(value.shape[-1], device=value.device, dtype=value.dtype)
        return torch.where(places < len(places) // 2, value, places - 1)
    if (value.dtype in SMALL_INTEGERS or is_flags(value)) and value.dim() and value.numel():
        return _in_runs(value)
    if are_merges(value):
        return as_chain(value)
    if are_lists(value):
        return as_one_list(value)
    if value.dim() == 2 and value.shape[1] == 2 and comes_again(value.mT):
        return again(value.mT).mT.contiguous()
    if not comes_again(value):
        if (whole := without_padding(value)) is not None and not leads_on(value):
            return torch.where(value == whole[1], value, again(whole[0]))
        return as_neighbours(value) if leads_on(value) else rows_again(value)
    chance = torch.rand(value.shape, device=value.device)
    one = value.reshape(-1)[int(torch.randint(0, value.numel(), ()))]
    made = torch.where(chance < 1 / 4, one, torch.where(chance > 3 / 4, value.roll(1, -1), value))
    made[..., 0] = value[..., 0]
    if value.dim() == 2 and len(value) == 2:
        return as_edges(made)
    return as_neighbours(_in_runs(of_few(value, made, 2)))


def some_again(value: Any) -> Any:
    """Integers of which many come again, and many are others: where AGAIN leaves too few of these."""
    return of_few(value, value, value.shape[-1] // 8) if comes_again(value) and value.dim() else value


def may_lead_on(value: Any) -> bool:
    """Whether AGAIN makes something of integers that may not come again as they are: trees and the like, and what
    stands beside padding."""
    if leads_on(value):
        return True
    return not comes_again(value) and (without_padding(value) is not None or rows_come_again(value))


def rows_again(value: Any) -> Any:
    """Short rows, as places in a grid or boxes, of which a quarter are the ones before them and a quarter a single one:
    what the numbers of a row have to do with one another stays."""
    if not rows_come_again(value):
        return value
    places, chance = torch.arange(len(value), device=value.device), torch.rand(len(value), device=value.device)
    before = (places - (chance > 3 / 4).long()).clamp_min(0)
    return value[torch.where(chance < 1 / 4, int(torch.randint(0, len(value), ())), before)]


def without_padding(value: Any) -> tuple[Any, int] | None:
    """Integers that come again with others of them where it is padded, and the number that says so; None where it is
    not, or these do not."""
    if value.dtype not in WIDE_INTEGERS or value.dim() < 2 or not value.numel() or (pad := padding_of(value)) is None:
        return None
    there = value[value != pad]
    if not there.numel():
        return None
    whole = torch.where(value == pad, there[torch.randint(len(there), value.shape, device=value.device)], value)
    return (whole, pad) if comes_again(whole) else None


def _in_runs(value: Any) -> Any:
    """With what is before it again and again, in half of its rows, or in one half of a single one; and in half of the
    items of a stack, or in one half of many rows, with whole rows, so that there are areas of one number. Not what
    would take gigabytes to make."""
    if value.numel() > _MOST_IN_RUNS:
        return value
    made = value.gather(-1, _begun(value.shape, value.device))
    if value.dim() < 2 or (value.dim() == 2 and len(value) < LEAST_NODES):
        return made
    return made.gather(-2, _begun(value.shape[:-1], value.device)[..., None].expand_as(made))


def _begun(shape: Any, device: Any) -> Any:
    """Where what each place says again begins."""
    places = torch.arange(shape[-1], device=device)
    rows = math.prod(shape[:-1])
    its = places >= len(places) // 2 if rows == 1 else some_of(rows, device).view(*shape[:-1], 1)
    begins = (torch.rand(shape, device=device) > _NEXT) | ~its | (places == 0)
    return torch.where(begins, places, 0).cummax(-1).values


def narrowed(value: Any, end: str) -> Any:
    """Integers that are the last or the first eighth of those that are drawn, in order: their sums are far from what
    they are, and their least and their largest are others."""
    if value.dtype not in (*WIDE_INTEGERS, *SMALL_INTEGERS) or value.numel() < 2:
        return value
    names, which = value.unique(return_inverse=True)  # none that is not among them
    ignored = int((names < 0).sum()) if bool((names > 0).any()) and value.dtype is not torch.int8 else 0
    last = len(names) - 1  # what is below zero beside numbers above may stand for what is ignored, and stays
    other = last - (last - which) // 8 if end == HIGH else ignored + (which - ignored) // 8
    return names[torch.where(which < ignored, which, other)]


def uneven(value: Any) -> Any:
    """A mask with one in sixteen of a row's ones, or of its zeros, and the first of these; one piece stays one. Of a
    stack of masks some have but the first, of ones or of zeros in all of their rows: else none is far from the next."""
    ones = value != 0
    few = torch.rand([*value.shape[:-1], 1], device=value.device) < 1 / 2
    stays = torch.rand(value.shape, device=value.device) < _STAY
    if value.dim() > 2:
        is_bare = torch.rand([*value.shape[:-2], 1, 1], device=value.device) < 1 / 2
        few, stays = torch.where(is_bare, few[..., :1, :], few), stays & ~is_bare
    its = torch.where(few, ones, ~ones)
    stay = its & (stays | (its.cumsum(-1) == 1))
    made = torch.where(few, stay, ~stay)
    steps, numbers = ones.int().diff(dim=-1), made.int()
    rises, falls = (steps >= 0).all(-1, keepdim=True), (steps <= 0).all(-1, keepdim=True)
    is_left = bool((rises & ~falls).any())
    made = torch.where(falls, numbers.sort(-1, descending=True).values, numbers)
    return torch.where(rises & (~falls | is_left), numbers.sort(-1).values, made).to(value.dtype)


def in_order(value: Any) -> Any:
    """The same integers of each row in other places: they rise, and in every other row they fall. By chance what rises
    is as long as the root of a row, what is nested as deep as its logarithm."""
    made = value.sort(-1, descending=bool(torch.rand(()) < 1 / 2)).values.contiguous()
    rows = made.view(-1, made.shape[-1])
    rows[1::2] = rows[1::2].flip(-1)
    return made


def may_be_in_order(value: Any, beside: Sequence[Any], *, overwrites: bool) -> bool:
    """Whether one of the inputs may come so: rows of integers that are long enough, and no way from one to the next.
    Where the task overwrites places, which two of them may name together, or each of a column one, it is alone."""
    if not has_rows_of_integers(value, LEAST_IN_ORDER):
        return False
    if overwrites and not (_is_alone(value, beside) and _come_again_along(value, range(value.dim() - 1))):
        return False
    return not (leads_on(value) or names_rows(value)) and are_in_no_order(value)


def come_again_alone(value: Any, beside: Sequence[Any]) -> bool:
    """Whether integers come several times in a row, and in a column, as they are drawn, and are no two that may name a
    place together: a task that overwrites places does so at none of these, or has no one answer."""
    is_alone = has_rows_of_integers(value, LEAST_IN_ORDER) and _is_alone(value, beside)
    return is_alone and _come_again_along(value, range(value.dim()))


def _is_alone(value: Any, beside: Sequence[Any]) -> bool:
    """Whether it is the only one of wide integers among the inputs, and not the coordinates of places."""
    are_some = all(extent == 1 or extent > _MOST_COORDINATES for extent in value.shape[:-1])
    return are_some and sum(other.dtype in WIDE_INTEGERS for other in beside) == 1


def _come_again_along(value: Any, those: Iterable[int]) -> bool:
    """Whether along each of those dimensions some integer is there twice."""
    return all(bool((value.sort(along).values.diff(dim=along) == 0).any()) for along in those if value.shape[along] > 1)


OF_INTEGERS: dict[str, Callable[[Any], Any]] = {
    AGAIN: again, SOME_AGAIN: some_again, UNEVEN: uneven, LEAST: least_rows, PARTED: parted, IN_ORDER: in_order,
    MANY_BITS: many_bits,
}  # fmt: skip
