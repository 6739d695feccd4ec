"""Groups of pointwise operations and reductions over the last dimension that one kernel can compute, row by row.

A region has one result, of shape S. It is seen as a matrix of rows and columns: S is split where every input is, within
a row, either contiguous or one number. Values of shape S are vectors of a row, those of shape S[:-1] + (1,) one number.
Not covered: regions with two results, and inputs that broadcast in more than one block of dimensions.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx, nn

from cuda_l1.transforms import match
from cuda_l1.transforms.match import argument, kind, number, shape
from cuda_l1.transforms.program import DeclineError, Kernel, Program

UNARY = {"neg", "relu", "sigmoid", "tanh", "exp", "log", "sqrt", "rsqrt", "abs", "gelu", "silu", "square", "relu6"}
UNARY |= {"leaky_relu", "hardswish", "hardsigmoid", "softsign", "erf", "reciprocal"}
BINARY = {"add", "sub", "mul", "div"}
REDUCTIONS = {"sum", "mean", "amax"}
COLUMNS = 256
"""A row shorter than this is made longer where the inputs allow it."""


@dataclass(frozen=True)
class Input:
    """How a region reads an input: `vector` along a row; its row is `(row // inner) % count`."""

    node: fx.Node
    vector: bool
    inner: int
    count: int


@dataclass(frozen=True)
class Region:
    """Operations in order, the last one being the result, and what they read."""

    nodes: tuple[fx.Node, ...]
    inputs: tuple[Input, ...]
    rows: int
    columns: int

    @property
    def sink(self) -> fx.Node:
        return self.nodes[-1]


def reduces(program: Program, node: fx.Node) -> str | None:
    """sum, mean or amax if the node is that of the last dimension, which it keeps."""
    name = kind(program, node)
    if name not in REDUCTIONS:
        return None
    rank = len(shape(program, node.args[0]) or ())
    dims, keep = argument(program, node, 1, "dim"), argument(program, node, 2, "keepdim", False)
    dims = list(dims) if isinstance(dims, tuple | list) else [dims]
    return name if keep is True and dims in ([-1], [rank - 1]) and node.kwargs.get("dtype") is None else None


def expression(program: Program, node: fx.Node) -> tuple[str, list[Any]] | None:
    """(operation, operands: nodes and numbers) of a pointwise node that kernels know; None of any other."""
    name = kind(program, node)
    operands = list(node.args)
    if name in BINARY and len(operands) == 2 and not node.kwargs:
        return (name, operands) if all(_operand(o) for o in operands) else None
    if name == "pow" and len(operands) == 2 and operands[1] in (2, 3) and isinstance(operands[0], fx.Node):
        return ("square" if operands[1] == 2 else "cube"), operands[:1]
    if name == "gelu":
        how = argument(program, node, 1, "approximate", "none")
        return ("gelu_tanh" if how == "tanh" else "gelu"), operands[:1]
    if name == "leaky_relu":
        return name, [operands[0], argument(program, node, 1, "negative_slope", 0.01)]
    if name in ("clamp", "clip", "hardtanh"):
        keys = ("min_val", "max_val") if name == "hardtanh" else ("min", "max")
        low, high = (argument(program, node, i + 1, key) for i, key in enumerate(keys))
        low, high = (-1.0 if low is None else low, 1.0 if high is None else high) if name == "hardtanh" else (low, high)
        if all(bound is None or number(bound) is not None for bound in (low, high)):
            return "clamp", [operands[0], low, high]
        return None
    if name in UNARY and operands and isinstance(operands[0], fx.Node):
        plain = len(operands) == 1 and set(node.kwargs) <= {"inplace"}
        return (name, operands[:1]) if plain or node.op == "call_module" else None
    return None


def _operand(value: Any) -> bool:
    return isinstance(value, fx.Node) or (number(value) is not None and math.isfinite(float(value)))


def find(program: Program, dtypes: set[torch.dtype]) -> list[Region]:
    """All regions of at least two operations, each as large as it can be with one result."""
    taken: set[fx.Node] = set()
    regions = []
    order = {node: index for index, node in enumerate(program.graph.nodes)}
    for sink in reversed(list(program.graph.nodes)):
        if sink in taken or expression(program, sink) is None or not _has_dtype(program, sink, dtypes):
            continue
        members = _grow(program, sink, taken)
        if len(members) < 2:
            continue
        region = _placed(program, sorted(members, key=order.__getitem__))
        if region is not None:
            taken |= members
            regions.append(region)
    return regions


def _has_dtype(program: Program, node: Any, dtypes: set[torch.dtype]) -> bool:
    value = program.value_of(node) if isinstance(node, fx.Node) else None
    return isinstance(value, torch.Tensor) and value.dtype in dtypes


def _grow(program: Program, sink: fx.Node, taken: set[fx.Node]) -> set[fx.Node]:
    full = shape(program, sink) or ()
    allowed = {full, (*full[:-1], 1)} if full else {full}
    dtype = program.value_of(sink).dtype
    members = {sink}
    todo = list(sink.all_input_nodes)
    while todo:
        node = todo.pop()
        if node in members or node in taken or not set(node.users) <= members:
            continue
        row = reduces(program, node) is not None and shape(program, node.args[0]) == full
        known = row or expression(program, node) is not None
        if known and shape(program, node) in allowed and _has_dtype(program, node, {dtype}):
            members.add(node)
            todo.extend(node.all_input_nodes)
            # A value with several users comes in when the last of them has.
            todo.extend(n for member in members for n in member.all_input_nodes)
    return members


def _placed(program: Program, nodes: list[fx.Node]) -> Region | None:
    """The region with its rows and columns and how each input lies in them; None if some input does not fit."""
    full = shape(program, nodes[-1]) or ()
    outside = dict.fromkeys(n for node in nodes for n in node.all_input_nodes if n not in nodes)
    dtype = program.value_of(nodes[-1]).dtype
    if not full or any(not _has_dtype(program, n, {dtype}) for n in outside) or math.prod(full) == 0:
        return None
    by_row = any(reduces(program, node) or shape(program, node) != full for node in nodes)
    splits = [len(full) - 1] if by_row else list(range(len(full)))
    best = None
    for split in splits:
        inputs = [_input(program, node, full, split) for node in outside]
        if all(i is not None for i in inputs):
            columns = math.prod(full[split:])
            found = Region(tuple(nodes), tuple(i for i in inputs if i), math.prod(full[:split]), columns)
            if best is None or columns >= COLUMNS:
                best = found
    if best is not None and best.rows == 1 and not by_row and all(not i.vector or i.count == 1 for i in best.inputs):
        best = _cut(best)
    return best


def _cut(region: Region) -> Region:
    """One long row as many, so that threads can share it."""
    size = next((s for s in (4096, 2048, 1024, 512) if region.columns % s == 0 and region.columns > s), None)
    if size is None:
        return region
    rows = region.columns // size
    inputs = tuple(Input(i.node, i.vector, 1, rows) if i.vector else i for i in region.inputs)
    return Region(region.nodes, inputs, rows, size)


def _input(program: Program, node: fx.Node, full: tuple[int, ...], split: int) -> Input | None:
    own = shape(program, node) or ()
    own = (1,) * (len(full) - len(own)) + own
    rows, columns = own[:split], own[split:]
    vector = columns == full[split:]
    if not vector and any(size != 1 for size in columns):
        return None
    varying = [d for d in range(split) if rows[d] != 1]
    if not varying:
        return Input(node, vector, 1, 1)
    first, last = varying[0], varying[-1] + 1
    if rows[first:last] != full[first:last]:
        return None
    return Input(node, vector, math.prod(full[last:split]), math.prod(full[first:last]))


def decompose(program: Program) -> None:
    """Layer norm and softmax over the last dimension as pointwise operations and reductions."""
    for node in list(program.graph.nodes):
        name = kind(program, node)
        if name in ("layernorm", "layer_norm"):
            _layer_norm(program, node)
        elif name == "softmax":
            rank = len(shape(program, node) or ())
            if argument(program, node, 1, "dim") in (-1, rank - 1) and node.kwargs.get("dtype") is None:
                _softmax(program, node)


def _layer_norm(program: Program, node: fx.Node) -> None:
    graph, x = program.graph, argument(program, node, 0, "input")
    module = program.module_of(node)
    if len(argument(program, node, 1, "normalized_shape")) != 1:
        return
    weight, bias = (argument(program, node, i, n) for i, n in ((2, "weight"), (3, "bias")))
    epsilon = argument(program, node, 4, "eps", 1e-5)
    with graph.inserting_before(node):
        if module is not None:
            weight, bias = (
                graph.get_attr(f"{node.target}.{n}") if isinstance(v, nn.Parameter) else None
                for n, v in (("weight", weight), ("bias", bias))
            )
        mean = graph.call_method("mean", (x, -1), {"keepdim": True})
        centred = graph.call_function(operator.sub, (x, mean))
        square = graph.call_function(operator.mul, (centred, centred))
        variance = graph.call_method("mean", (square, -1), {"keepdim": True})
        shifted = graph.call_function(operator.add, (variance, epsilon))
        new = graph.call_function(operator.mul, (centred, graph.call_function(torch.rsqrt, (shifted,))))
        if weight is not None:
            new = graph.call_function(operator.mul, (new, weight))
        if bias is not None:
            new = graph.call_function(operator.add, (new, bias))
    match.replace(node, new)


def _softmax(program: Program, node: fx.Node) -> None:
    graph, x = program.graph, argument(program, node, 0, "input")
    with graph.inserting_before(node):
        top = graph.call_method("amax", (x, -1), {"keepdim": True})
        power = graph.call_function(torch.exp, (graph.call_function(operator.sub, (x, top)),))
        total = graph.call_method("sum", (power, -1), {"keepdim": True})
        new = graph.call_function(operator.truediv, (power, total))
    match.replace(node, new)


def fuse(program: Program, regions: list[Region], names: list[str]) -> None:
    """Put a call of the kernel named in the place of each region."""
    for region, name in zip(regions, names, strict=True):
        size, dtype = program.value_of(region.sink).shape, program.value_of(region.sink).dtype

        def meaning(*_: Any, size: Any = size, dtype: Any = dtype) -> torch.Tensor:
            return torch.empty(size, dtype=dtype, device="meta")

        with program.graph.inserting_before(region.sink):
            call = program.graph.call_function(Kernel(name, meaning), tuple(i.node for i in region.inputs))
        call.meta["value"] = meaning()
        match.replace(region.sink, call)


def require(regions: list[Region]) -> None:
    if not regions:
        raise DeclineError("no two pointwise operations in a row that a kernel could do at once")
