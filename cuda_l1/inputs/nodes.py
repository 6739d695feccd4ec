"""Integers that name nodes, by their values: trees, neighbours, pairs of them, tables of what follows. Pure.

NOT covered: what a graph's edges say of its nodes (`traits.is_apart`).
"""

from __future__ import annotations

from typing import Any

import torch

from cuda_l1.inputs.traits import (
    LEAST_NODES,
    MOST_PAIRS,
    WIDE_INTEGERS,
    comes_again,
    counts_up,
    has_rows_of_integers,
)


def are_parents(value: Any) -> bool:
    """Whether rows of integers name, of each but the first, one before it, as trees have them, and late ones too."""
    if not has_rows_of_integers(value, LEAST_NODES):
        return False
    places = torch.arange(value.shape[-1], device=value.device)
    is_late = 2 * int(value.max()) > len(places) and not (value.dim() > 1 and counts_up(value))
    return is_late and bool((value >= -1).all() and (value[..., 1:] < places[1:]).all() and (value[..., 0] < 1).all())


def are_neighbours(value: Any) -> bool:
    """Whether rows, of which there are more, name any of as many as there are rows; and not each is named by those that
    it names."""
    count = len(value)
    is_list = names_nodes(value, count) and 2 * value.shape[1] <= count
    if not is_list or value.numel() * value.shape[1] > MOST_PAIRS:
        return False
    places = torch.arange(count, device=value.device)[:, None, None]
    return not bool((value[value.long()] == places).any(-1).all())


def names_nodes(value: Any, count: int) -> bool:
    """Whether integers name any of so many nodes, from the first to nearly the last."""
    least, most = int(value.min()), int(value.max())
    return count >= LEAST_NODES and least >= 0 and most < count and 7 * count <= 8 * (most - least)


def names_rows(value: Any) -> bool:
    """Whether integers name any of as many as there are rows of them: a table of what follows; but no parents, of which
    each comes before its children, as who takes one after the other counts on."""
    is_table = value.dtype in WIDE_INTEGERS and value.dim() > 0 and value.numel() > 0 and names_nodes(value, len(value))
    return is_table and not are_parents(value)


def leads_on(value: Any) -> bool:
    """Whether it may say of each which comes next, in a way that may be long: trees, neighbours, or pairs of them."""
    if value.dtype not in WIDE_INTEGERS or value.dim() != 2 or not value.numel():
        return are_parents(value)
    return are_parents(value) or are_neighbours(value) or (value.shape[1] == 2 and comes_again(value.mT))
