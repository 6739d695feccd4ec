"""softmax(q @ k^T * scale + mask) @ v is one call: scaled_dot_product_attention, which keeps the scores in cache."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import fx

from cuda_l1.transforms import match
from cuda_l1.transforms.match import argument, kind, number, only_user, shape
from cuda_l1.transforms.program import DeclineError, Program


def sdpa(program: Program) -> str:
    """Replace attention written by hand, with scale, additive mask or masked_fill(-inf), by the fused call."""
    done = []
    for node in list(program.graph.nodes):
        if kind(program, node) == "matmul":
            said = _replace(program, node)
            if said:
                done.append(said)
    if not done:
        raise DeclineError("no softmax of a product of queries and keys that is multiplied by values")
    return "; ".join(done)


def _replace(program: Program, node: fx.Node) -> str | None:
    weights, value = argument(program, node, 0, "input"), argument(program, node, 1, "other")
    while kind(program, weights) == "dropout" and program.task.mode == "eval" and weights.op == "call_module":
        weights = weights.args[0]
    if kind(program, weights) != "softmax" or only_user(weights) is None or weights.kwargs.get("dtype") is not None:
        return None
    rank = len(shape(program, weights) or ())
    if argument(program, weights, 1, "dim") not in (-1, rank - 1) or rank not in (3, 4):
        return None
    found = _scores(program, argument(program, weights, 0, "input"))
    if found is None:
        return None
    query, key, scale, masks = found
    sizes = [shape(program, part) or () for part in (query, key, value)]
    if any(s[:-2] != sizes[0][:-2] or len(s) != rank for s in sizes):
        return None
    causal = len(masks) == 1 and _hides_future(program, masks[0], sizes[0][-2], sizes[1][-2])
    graph = program.graph
    with graph.inserting_before(node):
        keywords: dict[str, Any] = {"is_causal": True} if causal else {}
        if masks and not causal:
            mask = _mask(program, masks, scale)
            if mask is None:
                return None
            keywords["attn_mask"] = mask
        # Three dimensions become four: the fused kernels take nothing else.
        parts = [query, key, value]
        if rank == 3:
            parts = [graph.call_method("unsqueeze", (part, 0)) for part in parts]
        new = graph.call_function(
            torch.nn.functional.scaled_dot_product_attention, tuple(parts), {**keywords, "scale": scale}
        )
        if rank == 3:
            new = graph.call_method("squeeze", (new, 0))
    match.replace(node, new)
    return "softmax(q @ k^T) @ v became scaled_dot_product_attention" + (", causal" if causal else "")


Mask = tuple[str, Any, float]
"""(fill: what is hidden, or add: what is added; the mask; the factor by which the scores are scaled after it)."""


def _scores(program: Program, node: Any) -> tuple[fx.Node, fx.Node, float, list[Mask]] | None:
    """(q, k, scale, masks) of the scores before softmax; None if there is anything else in them."""
    scale = 1.0
    masks: list[Mask] = []
    while isinstance(node, fx.Node) and only_user(node) is not None:
        name = kind(program, node)
        first, second = argument(program, node, 0, "input"), argument(program, node, 1, "other")
        if name == "matmul":
            key = match.transposed(program, second)
            if isinstance(first, fx.Node) and key is not None:
                scaled: Any = argument(program, first, 1, "other") if kind(program, first) in ("mul", "div") else None
                if number(scaled):
                    scale = scale * scaled if kind(program, first) == "mul" else scale / scaled
                    first = argument(program, first, 0, "input")
                return first, key, scale, masks
            return None
        if name in ("mul", "div") and number(second) and second > 0:
            scale = scale * second if name == "mul" else scale / second
        elif name == "mul" and number(first) and first > 0:
            scale *= first
            first = second
        elif name == "masked_fill" and number(argument(program, node, 2, "value")) == float("-inf"):
            masks.append(("fill", second, scale))
        elif name == "add" and isinstance(second, fx.Node):
            masks.append(("add", second, scale))
        else:
            return None
        node = first
    return None


def _mask(program: Program, masks: list[Mask], scale: float) -> fx.Node | None:
    """One mask for all; only where they can be one: a single one, added as it is or filled."""
    how, mask, after = masks[0]
    if len(masks) > 1 or (how == "add" and after != 1.0) or scale <= 0:
        return None
    if how == "fill":
        value = program.value_of(mask)
        if value.dtype == torch.bool:
            return program.graph.call_function(operator.invert, (mask,))
        return None
    floating = match.is_floating(program, mask)
    return mask if floating else None


def _hides_future(program: Program, mask: Mask, queries: int, keys: int) -> bool:
    """Whether a mask is all ones above the diagonal, built from nothing but its size."""
    how, node, _ = mask
    if how != "fill" or queries != keys:
        return False
    if kind(program, node) in ("bool",) or (kind(program, node) == "to" and node.args[1:] == (torch.bool,)):
        node = node.args[0]
    if kind(program, node) == "eq" and number(node.args[1]) == 0:
        return kind(program, node.args[0]) == "tril" and _is_ones(program, node.args[0], 0)
    return kind(program, node) == "triu" and _is_ones(program, node, 1)


def _is_ones(program: Program, node: fx.Node, diagonal: int) -> bool:
    source = argument(program, node, 0, "input")
    same = argument(program, node, 1, "diagonal", 0) == diagonal
    return same and kind(program, source) == "ones" and len(shape(program, source) or ()) == 2
