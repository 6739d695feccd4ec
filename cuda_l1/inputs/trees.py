"""Trees whose nodes name their children, in columns of one input or in several: `left[node]` and `right[node]`, the
next node by letter. As they are drawn none is deep, and no walk goes on where it is. Here one way leads down most of
them, and what decides at each node says so.

NOT covered: what names one node alone, as the next, or those before it (ways.py).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import torch

from cuda_l1.inputs.integers import leads_on
from cuda_l1.inputs.patterns import sided
from cuda_l1.inputs.traits import LEAST_IN_ORDER, LEAST_NODES, SMALL_INTEGERS, WIDE_INTEGERS, is_continuous

DEEP = "deep"
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
_MOST_NODES, _MOST_COLUMNS = 1 << 16, 64


class Tree(NamedTuple):
    """Where each node names its children, and how far from a root it is."""

    is_child: Any
    kids: Any
    owners: Any
    depth: Any


def trees_among(
    those: Sequence[int], draws: Sequence[Sequence[Any]], source: str, limits: Collection[int]
) -> tuple[tuple[tuple[int, ...], int], ...]:
    """Of those inputs such as hold the children of trees together, with what these must stay less deep than: the least
    number beyond all that are drawn which the task's text has, or its module is made with; 0 for none."""
    found = _together(draws[0], those)
    if any(_together(each, those) != found for each in draws[1:]):
        return ()
    said = {*limits, *(int(each) for each in _NUMBER.findall(source) if len(each) < LEAST_IN_ORDER)}
    deepest = [max(int(tree_of(_table(each, some)).depth.max()) for each in draws) for some in found]  # type: ignore[union-attr]
    return tuple(
        (some, min((n for n in said if n > most + 1), default=0)) for some, most in zip(found, deepest, strict=True)
    )


def moves_along(
    those: Sequence[int], drawn: Sequence[Any], some: Sequence[int], *, are_real: Collection[int]
) -> list[int]:
    """Which of those inputs may decide at a node where a walk goes on: words of its columns, and numbers that are not
    one for each node."""
    count, width = _table(drawn, some).shape
    words = [n for n in those if n not in some and _are_words(drawn[n], width)]
    return words + [n for n in are_real if drawn[n].dim() > 0 and len(drawn[n]) != count]


def grown(values: Sequence[Any], index: int, bound: int, seed: int) -> Any:
    """One of the inputs where trees are deep: children, others of the nodes at the same places; words that lead down
    there, some for a while; or numbers far out, half of them above and half below zero, so that most decisions are
    one."""
    value = values[index]
    every = [n for n, each in enumerate(values) if not is_continuous(each)]
    for some in _together(values, every):
        table = _table(values, some)
        made = _deep(table, seed % table.shape[1], bound)
        if index in some:
            return made if value.dim() > 1 else made[:, some.index(index)].contiguous()
        if _are_words(value, table.shape[1]):
            return _spelled(value, made, seed)
    return sided(value) if is_continuous(value) else value


def tree_of(table: Any) -> Tree | None:
    """By rows that name each node's children, if no node has two parents and none is its own forefather. One number may
    stand for nobody, as the node itself may."""
    count = len(table)
    places = torch.arange(count, device=table.device)
    is_other = table != places[:, None]
    names, times = table[is_other].unique(return_counts=True)
    often = names[times > 1]
    if len(often) > 1:
        return None
    is_child = is_other & (table >= 0) & (table < count)
    is_child = is_child & (table != often) if len(often) else is_child
    kids, owners = table[is_child].long(), is_child.nonzero()[:, 0]
    if 2 * len(kids) < count:
        return None
    up = places.index_copy(0, kids, owners)
    depth = (up != places).long()
    for _ in range(count.bit_length()):
        depth, up = depth + depth[up], up[up]
    return Tree(is_child, kids, owners, depth) if bool((depth[up] == 0).all()) else None


def _together(values: Sequence[Any], those: Sequence[int]) -> list[tuple[int, ...]]:
    """Which of those hold the children of trees together, that no other says anything of."""
    wide = [n for n in those if values[n].dtype in WIDE_INTEGERS and 0 < values[n].dim() < 3 and values[n].numel()]
    of_rows = [(n,) for n in wide if values[n].dim() == 2 and 1 < values[n].shape[1] <= _MOST_COLUMNS]
    lines = [n for n in wide if values[n].dim() == 1 and 2 * int(values[n].max()) > len(values[n])]
    lengths = dict.fromkeys(len(values[n]) for n in lines)
    several = [tuple(n for n in lines if len(values[n]) == count) for count in lengths]
    found = [*of_rows, *(some for some in several if 1 < len(some) <= _MOST_COLUMNS)]
    return [some for some in found if _are_children(values, some)]


def _are_children(values: Sequence[Any], some: Sequence[int]) -> bool:
    if not LEAST_NODES <= len(values[some[0]]) <= _MOST_NODES or any(leads_on(values[n]) for n in some):
        return False
    tree = tree_of(_table(values, some))
    if tree is None:
        return False
    beside = (each for n, each in enumerate(values) if n not in some and each.dim() == 1 and not each.is_complex())
    return not any(len(each) == len(tree.depth) and _says_of(each, tree) for each in beside)


def _says_of(value: Any, tree: Tree) -> bool:
    """Whether something of each node rises with each step down, or falls, or names its parent."""
    its = value.double()
    steps = its[tree.kids] - its[tree.owners]
    return bool((steps >= 0).all() or (steps <= 0).all() or (its[tree.kids] == tree.owners).all())


def _table(values: Sequence[Any], some: Sequence[int]) -> Any:
    first = values[some[0]]
    return first if first.dim() == 2 else torch.stack([values[n] for n in some], 1)


def _are_words(value: Any, width: int) -> bool:
    is_long = value.dtype in (*WIDE_INTEGERS, *SMALL_INTEGERS) and value.dim() > 1 and value.shape[-1] >= LEAST_IN_ORDER
    return is_long and value.numel() > 0 and 0 <= int(value.min()) < int(value.max()) < width


def _deep(table: Any, column: int, bound: int) -> Any:
    """One way through all that have children, by that column where they have one there, and less deep than the bound,
    if there is one; each of the others is the child of the first that has room. How many children each has, and in
    which columns, stays, and whether parents come first."""
    tree = tree_of(table)
    assert tree is not None
    length = len(table)
    while length > 1:
        made = _with_ways(table, tree, column, length)
        deep = tree_of(made)
        if deep is None or not bound or int(deep.depth.max()) < bound:
            return table if deep is None else made
        length = min(length - 1, bound) if length > bound else 3 * length // 4
    return table


def _with_ways(table: Any, tree: Tree, column: int, length: int) -> Any:
    """Ways of that length at most."""
    count, device = len(table), table.device
    places = torch.arange(count, device=device)
    if bool((tree.kids > tree.owners).all()):
        rank = places
    elif bool((tree.kids < tree.owners).all()):
        rank = places.flip(0)
    else:
        rank = torch.empty_like(places).index_copy_(0, tree.depth.argsort(stable=True), places)
    in_order, is_kid = rank.argsort(), torch.zeros(count, dtype=torch.bool, device=device)
    is_kid[tree.kids] = True
    inner = in_order[tree.is_child.any(1)[in_order]]
    slot = torch.where(tree.is_child[inner, column], column, tree.is_child[inner].int().argmax(1))
    number = torch.arange(1, len(inner), device=device)
    leads = is_kid[inner[1:]] & (number % length != 0)
    made, free, waits = table.clone(), tree.is_child.clone(), is_kid.clone()
    made[inner[:-1][leads], slot[:-1][leads]] = inner[1:][leads].to(table.dtype)
    free[inner[:-1][leads], slot[:-1][leads]] = False
    waits[inner[1:][leads]] = False
    rows, columns = free[in_order].nonzero().unbind(1)
    made[in_order[rows], columns] = in_order[waits[in_order]].to(table.dtype)
    return made


def _spelled(value: Any, table: Any, seed: int) -> Any:
    """Words that lead down the deepest way of a tree: a half of them as long as they are, a quarter for a while."""
    tree = tree_of(table)
    if tree is None:
        return value
    columns = tree.is_child.nonzero()[:, 1]
    up, by = torch.full_like(tree.depth, -1), torch.zeros_like(tree.depth)
    up[tree.kids], by[tree.kids] = tree.owners, columns
    at, way = int(tree.depth.argmax()), list[int]()
    ups, bys = up.tolist(), by.tolist()
    while ups[at] >= 0:
        way.append(bys[at])
        at = ups[at]
    letters = torch.tensor(way[::-1][: value.shape[-1]], device=value.device, dtype=value.dtype)
    chance = torch.rand([*value.shape[:-1], 1], device=value.device)
    until = torch.where(
        chance < 1 / 2, len(letters), ((chance - 1 / 2) * 4 * len(letters)).long().clamp_max(len(letters))
    )
    until = torch.where(chance < 3 / 4, until, 0)
    places = torch.arange(len(letters), device=value.device)
    made = value.clone()
    made[..., : len(letters)] = torch.where(places < until, letters, value[..., : len(letters)])
    return made
