"""What integers are by their values: in order, padded, parents, neighbours, pairs; and whether another input may say
them. By chance some of few numbers are so, too, and that promises nothing. Pure.

NOT covered: what any tensor is by its values (traits.py), and what an input is beside the others of its task
(looks.py).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import torch

from cuda_l1.inputs.traits import (
    LEAST_COUNTED,
    LEAST_IN_ORDER,
    LEAST_NODES,
    LEAST_TIMES,
    SIGNED,
    SMALL_INTEGERS,
    WIDE_INTEGERS,
    counts_up,
    has_rows_of_integers,
    is_binary,
    is_continuous,
    is_one_value,
    with_arithmetic,
)

_LOOKED_AT, _MOST_PAIRS = 1 << 16, 1 << 24
_AS_MUCH, _PAIR = 1 / 8, 1 << 20
_PADDED, _MANY_PADDED, _BY_CHANCE, _DEVIATIONS = 3, 1 / 8, 1e-5, 4.0
_ABOUT = 4
"""So many times as far apart at most are numbers of one kind."""
_FEW_PAIRS = 4.0
"""So many equal ones are expected, of those that are drawn by chance, where none is a promise."""


def are_counts_of(counts: Any, owners: Any) -> bool:
    """Whether they say how many places belong to each, by what each place belongs to."""
    return torch.equal(owners.long().bincount(minlength=counts.numel()), counts.long())


def comes_again(value: Any) -> bool:
    """Whether one of its integers may come several times: they are in no order, and one is there twice in a row, unless
    that is not to be expected."""
    if not has_rows_of_integers(value, LEAST_COUNTED) or not are_in_no_order(value) or are_lists(value):
        return False
    pairs = value.numel() * value.shape[-1] / (2.0 * max(int(value.max()) - int(value.min()), 1))
    return pairs < _FEW_PAIRS or bool((value.sort(-1).values.diff(dim=-1) == 0).any())


def rows_come_again(value: Any) -> bool:
    """Whether one of many short rows of integers may be there twice: none of their columns is in order, or names each
    row once, by what is to be expected."""
    if value.dtype not in WIDE_INTEGERS or value.dim() != 2 or not 2 < value.shape[1] < LEAST_IN_ORDER:
        return False
    return len(value) >= LEAST_NODES and all(comes_again(column) for column in value.mT)


def are_in_no_order(value: Any) -> bool:
    """Whether no row of integers is in order or padded, none is a parent of later ones, and no pair is there both
    ways."""
    places = torch.arange(value.shape[-1], device=value.device)
    if is_one_value(value) or _has_rows_in_order(value):
        return False
    are_early = 4 * int(value.max()) > len(places) and bool((value <= places).all())
    if padding_of(value) is not None or are_early or _has_columns_in_order(value):
        return False
    is_of_pairs = value.dim() == 2 and len(value) == 2
    return not (is_of_pairs and torch.equal(*(_pairs(each) for each in (value, value.flip(0)))))


def _has_rows_in_order(value: Any) -> bool:
    """Whether some rows are, more than chance has: of many short ones, or of few numbers, some always are."""
    steps = value.diff(dim=-1)
    in_order = int(((steps >= 0).all(-1) | (steps <= 0).all(-1)).sum())
    if not in_order:
        return False
    rows = value.reshape(-1, value.shape[-1]).sort(-1).values
    places = torch.arange(1, rows.shape[-1] + 1, device=value.device)
    begins = torch.cat([torch.ones_like(rows[:, :1], dtype=torch.bool), rows.diff(dim=-1) != 0], -1)
    of_one = places - torch.where(begins, places, 0).cummax(-1).values + 1
    ways = of_one.double().log().sum(-1) - places.double().log().sum()
    expected = float(2 * ways.exp().sum())
    return bool(in_order > expected + _DEVIATIONS * expected**0.5)


def _has_columns_in_order(value: Any) -> bool:
    """Whether of short rows, as boxes are, one number is never less than another."""
    rows = value.reshape(-1, value.shape[-1])
    if len(rows) < LEAST_NODES or rows.shape[1] >= LEAST_IN_ORDER:
        return False
    is_no_less = (rows[:, :, None] >= rows[:, None]).all(0)
    return bool(is_no_less.fill_diagonal_(False).any())


def are_parents(value: Any) -> bool:
    """Whether rows of integers name, of each but the first, one before it, as trees have them, and late ones too."""
    if not has_rows_of_integers(value, LEAST_NODES):
        return False
    places = torch.arange(value.shape[-1], device=value.device)
    is_late = 2 * int(value.max()) > len(places) and not (value.dim() > 1 and counts_up(value))
    return is_late and bool((value >= -1).all() and (value[..., 1:] < places[1:]).all() and (value[..., 0] < 1).all())


def are_merges(value: Any) -> bool:
    """Whether each of many rows names some that were there or that rows before it made, and late ones name late ones:
    the nodes of a tree from its leaves up, the gates of a circuit."""
    if value.dtype not in WIDE_INTEGERS or value.dim() != 2 or not 1 < value.shape[1] <= _ABOUT:
        return False
    count = len(value)
    return count >= LEAST_NODES and int(value.min()) >= 0 and int(value.max()) >= first_made(value) + count // 2


def are_lists(value: Any) -> bool:
    """Whether each of many names the next one, if any, or else -1, and no two the same: lists of any length."""
    if value.dtype not in WIDE_INTEGERS or value.dim() != 1 or len(value) < LEAST_NODES:
        return False
    named = value[value >= 0]
    if not len(value) > len(named) > len(value) // 2 or int(value.min()) != -1 or int(value.max()) >= len(value):
        return False
    is_itself = bool((value == torch.arange(len(value), device=value.device)).any())
    return not is_itself and named.unique().numel() == len(named)


def first_made(value: Any) -> int:
    """The least number that what the first of such rows makes may have."""
    return int((value.amax(1) - torch.arange(len(value), device=value.device)).max()) + 1


def spans_among(those: Sequence[int], draws: Sequence[Sequence[Any]]) -> tuple[int, ...]:
    """Of those inputs the pairs, one after the other, of which the second says where something ends that begins at the
    first: never above it in any draw, place by place, and not because all of the one are below all of the other."""
    return tuple(
        n
        for pair in itertools.permutations(those, 2)
        if all(_are_spans(*(d[n] for n in pair)) for d in draws)
        for n in pair
    )


def _are_spans(starts: Any, ends: Any) -> bool:
    if starts.shape != ends.shape or starts.dtype != ends.dtype or starts.dtype not in WIDE_INTEGERS:
        return False
    is_ordered = starts.numel() >= LEAST_NODES and bool((starts <= ends).all()) and not torch.equal(starts, ends)
    return is_ordered and bool(starts.max() > ends.min())


def is_apart(leaf: Any, other: Any) -> bool:
    """Whether another says nothing of it, by the look of one draw: as large, and neither is a function of the other
    place by place; or as many as rows, where these hold larger ones, or of a mask neither how many are set nor up to
    where; or of a graph's edges or nodes, and no more than chance says of these; or rows of another length, of which as
    much is in the next row of the first; or a single row as long as nothing of the first, as what is joined has."""
    if leaf.is_complex() or other.is_complex():  # which have no order
        return False
    leaf, other = (with_arithmetic(each.view(SIGNED.get(each.dtype, each.dtype))) for each in (leaf, other))
    if leaf.shape == other.shape:
        if is_binary(leaf) and is_binary(other):
            return False
        return _vary_apart(leaf, other) or _are_some_of_many(leaf, other)
    if leaf.dim() > 1 and other.shape == leaf.shape[:-1] and is_binary(leaf):
        return not is_binary(other) and _say_nothing_of_rows(leaf != 0, other)
    if leaf.dim() > 1 and leaf.shape[-1] > 2 and other.shape == leaf.shape[:-1]:
        ends = (leaf.amax(-1), leaf.amin(-1), leaf[..., 0], leaf[..., -1], leaf.sum(-1))
        is_among = any(bool((its == other).float().mean() > 1 / 2) for its in ends)
        return not is_among and bool((leaf.amax(-1) > other).any())
    if leaf.dtype not in WIDE_INTEGERS:
        return False
    if leaf.dim() == other.dim() > 1 and leaf.shape[:-1] == other.shape[:-1]:
        is_of_rows = all(comes_again(each) and not is_one_value(each.sum(-1)) for each in (leaf, other))
        return is_of_rows and not any(_say_of_rows(*pair) for pair in ((leaf, other), (other, leaf)))
    if are_lists(leaf) and other.dim() == 1 and len(other) != len(leaf):
        return bool(torch.isin(other[other >= 0], leaf).any())  # or they may be where lists begin, if any does
    if _are_of_another_length(leaf, other) or _are_leaves_of(leaf, other) or _are_leaves_of(other, leaf):
        return True
    leaf, other = leaf.mT if leaf.dim() == 2 and leaf.shape[1] == 2 else leaf, other.reshape(-1)
    if leaf.dim() != 2 or len(leaf) != 2 or int(leaf.min()) < 0:
        return False
    if bool((other.long().diff() >= 0).all()) and not are_owners_of(leaf, other):
        return False
    return _are_apart_from_edges(leaf.long(), other)


def are_owners_of(edges: Any, owners: Any) -> bool:
    """Whether they may say to which graph of a batch each node belongs, as what says where its edges begin does not;
    and edges, as many as nodes at least, lead from one to another."""
    count = owners.numel()
    if owners.dim() != 1 or not int(edges.max()) < count <= edges.shape[1]:
        return False
    if not 0 <= int(owners.min()) <= 2 * int(owners.max()) < count - 1:
        return False
    start, end = edges.long()
    return bool((owners[start] != owners[end]).float().mean() > 1 / 2)


def _vary_apart(one: Any, two: Any) -> bool:
    """Whether neither is a function of the other, place by place."""
    one, two = (each.reshape(-1)[:_LOOKED_AT].unique(return_inverse=True)[1] for each in (one, two))
    least = int(max(one.max(), two.max())) + 1
    return bool((one * (int(two.max()) + 1) + two).unique().numel() > least)


def _are_some_of_many(leaf: Any, other: Any) -> bool:
    """Whether one of them is numbers of so many that none came twice by chance, which say what the other is whatever
    that is; neither rises with the other, or falls, and where they are about as large neither is nowhere less, as where
    something ends is."""
    if leaf.numel() < LEAST_IN_ORDER or not (comes_again(leaf) and comes_again(other)):
        return False
    pair = (leaf.reshape(-1).long(), other.reshape(-1).long())
    two, one = sorted(pair, key=lambda each: each.unique().numel())
    if one.unique().numel() < one.numel():
        return False
    few, many = sorted(int(each.max() - each.min()) for each in (one, two))
    is_end = not bool((one < two).any() & (one > two).any()) and _ABOUT * few >= many
    steps = two[one.argsort()].diff()
    return not is_end and bool((steps > 0).any() & (steps < 0).any())


def _say_nothing_of_rows(mask: Any, other: Any) -> bool:
    """Whether numbers are neither a function of how many of each row are set, or up to where, nor beyond all of these
    or before them."""
    places = torch.arange(1, mask.shape[-1] + 1, device=mask.device)
    last, first = (mask * places).amax(-1), torch.where(mask, places, len(places) + 1).amin(-1)
    is_within = bool((last <= other).all() or (first > other).all())
    return not is_within and _vary_apart(mask.sum(-1), other) and _vary_apart(last, other)


def _are_leaves_of(leaf: Any, merges: Any) -> bool:
    """Whether they are rows of integers, not as many as what may be merges of such."""
    return leaf.dim() > 1 and merges.dim() == 2 and len(leaf) != len(merges) and are_merges(merges)


def _are_of_another_length(leaf: Any, other: Any) -> bool:
    """Whether the other is a row of integers, in no order and no counts, that is as long as none of the first one's
    dimensions, nor nearly or so many times, and does not name its rows; and some of the first are not among it, or all
    between its ends are. So are the two sides of a join, or what is looked for in a text."""
    if other.dtype not in WIDE_INTEGERS or other.dim() != 1 or not leaf.dim() or len(leaf) == 2:
        return False
    count, rows = other.numel(), len(leaf)
    if any(abs(count - extent) < 2 for extent in (*leaf.shape, leaf.numel())) or not (count % rows and rows % count):
        return False
    if not are_in_no_order(other) or int(other.sum()) in (*leaf.shape, leaf.numel()) or names_nodes(other, rows):
        return False
    least, most = int(leaf.min()), int(leaf.max())
    if least >= 0 and most < count and is_one_value(other[leaf.reshape(-1).long()]):
        return False
    names = other.unique()
    is_whole = int(((names >= least) & (names <= most)).sum()) == most - least + 1
    return is_whole or not bool(torch.isin(leaf, names).all())


def _are_apart_from_edges(edges: Any, other: Any) -> bool:
    """Whether labels of a graph's edges come at either end of it and in either direction, those of its nodes are not
    the same at both ends of an edge, nor how many each has; and whether some of its nodes are no counts of others."""
    most, (start, end) = int(edges.max()), edges
    if other.numel() == edges.shape[1]:
        return all(_are_all_there(other, part) for part in (2 * start > most, 2 * end > most, start < end))
    if most < other.numel() <= most + LEAST_NODES:
        ends = other[start], other[end]
        has_counts = any(are_counts_of(other, row) for row in edges)
        return not (torch.equal(*ends) or any(map(is_one_value, ends)) or has_counts)
    is_counts = int(other.sum()) in range(most + 1, most + LEAST_NODES + 1) or int(other.sum()) == edges.shape[1]
    are_nodes = other.dtype is not torch.bool and int(other.min()) >= 0 and 7 * most <= 8 * int(other.max()) <= 8 * most
    return are_nodes and not is_counts and all(bool(torch.isin(other, each).any()) for each in (start, end))


def _are_all_there(one: Any, two: Any) -> bool:
    """Whether each of a few numbers is there beside each of some others."""
    (names, one), (others, two) = (each.unique(return_inverse=True) for each in (one, two))
    pairs = len(names) * len(others)
    return LEAST_TIMES * pairs <= len(one) and (one * len(others) + two).unique().numel() == pairs


def _say_of_rows(leaf: Any, other: Any) -> bool:
    """Whether integers, or pairs of them, are those of another one's row, or at places there, rather than of the row
    after that."""
    leaf, other = (each.reshape(-1, each.shape[-1]).long() for each in (leaf, other))
    count = min(len(leaf), max(_MOST_PAIRS // (leaf.shape[-1] * other.shape[-1]), 2))
    leaf, other = leaf[:count], other[:count]
    after, pairs = leaf.roll(1, 0), [each[:, 1:] * _PAIR + each[:, :-1] for each in (leaf, other)]
    if len(leaf) < 2 or any(
        abs(_share_in(its, each) - _share_in(its, each.roll(1, 0))) > _AS_MUCH
        for each, its in ((leaf, other), (pairs[0], pairs[1]))
    ):
        return True
    if int(other.min()) < 0 or int(other.max()) >= leaf.shape[-1]:
        return False
    its, theirs = (each.gather(-1, other).unique().numel() for each in (leaf, after))
    return bool(2 * its < theirs)


def _share_in(some: Any, rows: Any) -> float:
    return float((some[..., None] == rows[:, None]).any(-1).float().mean())


def leads_on(value: Any) -> bool:
    """Whether it may say of each which comes next, in a way that may be long: trees, neighbours, or pairs of them."""
    if are_merges(value) or are_lists(value):
        return True
    if value.dtype not in WIDE_INTEGERS or value.dim() != 2 or not value.numel():
        return are_parents(value)
    return are_parents(value) or are_neighbours(value) or (value.shape[1] == 2 and comes_again(value.mT))


def names_nodes(value: Any, count: int) -> bool:
    """Whether integers name any of so many nodes, from the first to nearly the last."""
    least, most = int(value.min()), int(value.max())
    return count >= LEAST_NODES and least >= 0 and most < count and 7 * count <= 8 * (most - least)


def names_rows(value: Any) -> bool:
    """Whether integers name any of as many as there are rows of them: a table of what follows; but no parents, of which
    each comes before its children, as who takes one after the other counts on."""
    is_table = value.dtype in WIDE_INTEGERS and value.dim() > 0 and value.numel() > 0 and names_nodes(value, len(value))
    return is_table and not are_parents(value)


def names_some_rows(value: Any) -> bool:
    """Whether integers name rows of them and nothing else."""
    return value.numel() > 0 and int(value.min()) >= 0 and int(value.max()) < len(value)


def are_neighbours(value: Any) -> bool:
    """Whether rows, of which there are more, name any of as many as there are rows; and not each is named by those that
    it names."""
    count = len(value)
    is_list = names_nodes(value, count) and 2 * value.shape[1] <= count
    if not is_list or value.numel() * value.shape[1] > _MOST_PAIRS:
        return False
    places = torch.arange(count, device=value.device)[:, None, None]
    return not bool((value[value.long()] == places).any(-1).all())


def are_tokens(leaf: Any) -> bool:
    """Whether it is rows of integers of any size, none of which is in order."""
    if leaf.dtype not in (*WIDE_INTEGERS, *SMALL_INTEGERS) or not leaf.dim() or not leaf.numel():
        return False
    least = LEAST_COUNTED if leaf.dim() == 1 else LEAST_IN_ORDER
    return leaf.shape[-1] >= least and not bool((leaf[..., 1:] >= leaf[..., :-1]).all(-1).any())


def is_new(leaf: Any, token: float, *, is_free: bool) -> bool:
    """Whether it may be among them and is not; zero below all of them, and in rows, or where a single row may come
    again (the last of many steps); of floating point beyond all, as what stands for a value that is missing."""
    if is_continuous(leaf):
        is_real = leaf.numel() > 1 and not leaf.is_complex()
        return is_real and not float(leaf.min()) <= token <= float(leaf.max())
    of_its_type = torch.iinfo(leaf.dtype)
    if not (float(token).is_integer() and of_its_type.min <= token <= of_its_type.max) or bool((leaf == token).any()):
        return False
    return bool(token) or ((leaf.dim() > 1 or is_free) and int(leaf.min()) > 0)


def padding_of(value: Any) -> int | None:
    """What many rows of integers begin, or end, with several times; None where hardly any do, or no more than chance
    has where that number is as frequent within rows: of four letters four in a row are soon there."""
    for rows in (value, value.flip(-1)):
        end = rows[..., : _PADDED + 1]
        alike = (end == end[..., :1]).all(-1)
        if float(alike.float().mean()) > _MANY_PADDED:
            number = int(end[..., 0][alike].mode().values)
            share = _share_within(value, number)
            least = math.ceil(math.log(_BY_CHANCE) / math.log(share)) if 0 < share < 1 else _PADDED + 1
            if float((rows[..., :least] == number).all(-1).float().mean()) > _MANY_PADDED:
                return number
    return None


def pads_by(value: Any, lengths: Any) -> bool:
    """Whether rows of integers are the longer before what they end with, the larger the number that stands for each is:
    blocks of a cache, of which a text takes as many as its words need."""
    if value.dtype not in WIDE_INTEGERS or value.dim() < 2 or value.shape[:-1] != lengths.shape or not value.numel():
        return False
    last = value[..., -1].reshape(-1).mode().values
    counts = (value != last).sum(-1).reshape(-1)[lengths.reshape(-1).argsort()]
    return bool((counts.diff() >= 0).all() and counts[0] < counts[-1])


def _share_within(value: Any, number: int) -> float:
    """How much of what lies between other numbers of its row is that one."""
    is_it = value == number
    others = (~is_it).int()
    within = (others.cumsum(-1) > 0) & (others.flip(-1).cumsum(-1) > 0).flip(-1)
    return int((is_it & within).sum()) / max(int(within.sum()), 1)


def _pairs(value: Any) -> Any:
    return (value[0].long() * (int(value.max()) + 1) + value[1]).sort().values
