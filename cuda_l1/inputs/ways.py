"""Long ways through what names one another: neighbours, edges, tables of what follows, and what is made of others made
before. As they are drawn, ways are short. Used inside the worker only.

NOT covered: which integers are such (integers.py).
"""

from __future__ import annotations

from typing import Any

import torch

from cuda_l1.inputs.integers import are_neighbours, first_made, names_nodes
from cuda_l1.inputs.parts import some_of
from cuda_l1.inputs.traits import LEAST_NODES


def as_neighbours(value: Any) -> Any:
    """Of neighbours, and of what names as many as a row is long, half have the next one alone, but for themselves: a
    long way."""
    count, places = value.shape[-1], torch.arange(max(value.shape), device=value.device, dtype=value.dtype)
    if names_nodes(value, count):
        way, rows = _way(value, places[:count]), value.numel() // count
        return way if rows == 1 else torch.where(some_of(rows, value.device).view(*value.shape[:-1], 1), way, value)
    if value.dim() != 2 or not are_neighbours(value):
        return value
    places = places[: len(value), None]
    return torch.where(value == places, value, _way(value, places))


def _way(value: Any, places: Any) -> Any:
    """Of those at the later half of these places the next one, of the others one as near the first again."""
    after = (places + 1).clamp_max(int(value.max()))
    return torch.where(places < len(places) // 2, (value // 2).clamp_min(int(value.min())), after)


def as_edges(value: Any) -> Any:
    """Where both ends are of the same nodes an eighth begin and end at one, and most others are the steps of a long way
    that nothing shortens: half of a graph's nodes, each with the next, have no other edge."""
    least, most = int(value.min(1).values.max()), int(value.max(1).values.min())
    if most - least < LEAST_NODES or 8 * (most - least) < 7 * int(value.max() - value.min()):
        return value
    count = min((most - least) // 2, value.shape[1] // 2)
    first = least + (most - least) // 2
    made = torch.where(value < first, value, value - (value - least) // 2 - 1).clamp_min(least)
    way = torch.arange(first, first + count, device=value.device, dtype=value.dtype)
    made[:, :count] = torch.stack([way, way + 1])
    loops = torch.rand(value.shape[1], device=value.device) < 1 / 8
    loops[:count] = False
    return torch.where(loops, made[0], made)


def parted(value: Any) -> Any:
    """Integers that name rows of them, in each column every row once: two ways never meet. Where one names itself, as
    the roots of a forest do, a single way through all to one that does."""
    count = len(value)
    places = torch.arange(count, device=value.device, dtype=value.dtype)
    if value.dim() > 1 or not bool((value == places).any()):
        return torch.rand(value.shape, device=value.device).argsort(0).to(value.dtype)
    return _one_way(value)


def as_chain(value: Any) -> Any:
    """Rows that name what rows before them made: each is made of the one before, as it is of no other; of a tree of
    pairs each takes another leaf, else half of all do so."""
    count, first, device = len(value), first_made(value), value.device
    places = torch.arange(count, device=device)
    before = (first + places - 1).to(value.dtype)
    is_tree = value.shape[1] == 2 and first == count + 1 and value.unique().numel() == value.numel()
    made = value.clone()
    if is_tree:
        leaves = torch.randperm(first, device=device).to(value.dtype)
        made = torch.stack([before, leaves[1:]], 1)
        made[0, 0] = leaves[0]
    else:
        made[count // 2 :, 0] = before[count // 2 :]
    turned = torch.rand(count, 1, device=device) < 1 / 2
    return torch.where(turned, made.flip(1), made)


def as_one_list(value: Any) -> Any:
    """What names the next one of lists, as a single list of all."""
    return _one_way(value, -1)


def _one_way(value: Any, end: int | None = None) -> Any:
    """A single way through all places, each naming the next one; the last names that end, or itself."""
    way = torch.randperm(len(value), device=value.device)
    last = way[-1:] if end is None else way.new_full((1,), end)
    return torch.empty_like(value).index_copy_(0, way, torch.cat([way[1:], last]).to(value.dtype))
