"""Rewrites by algebra: the same value from fewer operations. Each changes the graph in place and says what it did."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import fx

from cuda_l1.transforms import match
from cuda_l1.transforms.match import kind, number, only_user, reduction, shape
from cuda_l1.transforms.program import DeclineError, Program, prepared


def diag_matmul_to_broadcast(program: Program) -> str:
    """`diag(a) @ b` scales rows, `a @ diag(b)` columns: no matrix of zeros, no product."""
    graph, done = program.graph, []
    for node in list(graph.nodes):
        if kind(program, node) != "matmul":
            continue
        left, right = (match.argument(program, node, i, n) for i, n in ((0, "input"), (1, "other")))
        vector = _diagonal(program, left)
        with graph.inserting_before(node):
            if vector is not None and len(shape(program, right) or ()) >= 2:
                column = graph.call_method("unsqueeze", (vector, 1))
                match.replace(node, graph.call_function(operator.mul, (column, right)))
                done.append("diag(a) @ b became a row scale")
            elif vector is not None and len(shape(program, right) or ()) == 1:
                match.replace(node, graph.call_function(operator.mul, (vector, right)))
                done.append("diag(a) @ b became an elementwise product")
            elif (vector := _diagonal(program, right)) is not None:
                match.replace(node, graph.call_function(operator.mul, (left, vector)))
                done.append("a @ diag(b) became a column scale")
    return _said(done, "no product with a diagonal matrix made by torch.diag")


def _diagonal(program: Program, node: Any) -> fx.Node | None:
    name = kind(program, node)
    if name not in ("diag", "diag_embed", "diagflat") or len(node.args) + len(node.kwargs) != 1:
        return None
    source = match.argument(program, node, 0, "input")
    return source if len(shape(program, source) or ()) == 1 else None


SCALES = ("mul", "div", "neg")


def matmul_sum_to_matvec(program: Program) -> str:
    """The sum (mean) over a product's columns is a product with the sum (mean) of the second factor's columns."""
    graph, done = program.graph, []
    for node in list(graph.nodes):
        found = reduction(program, node)
        if found is None:
            continue
        how, value, dims, keep = found
        scales = []
        while kind(program, value) in SCALES and only_user(value) is not None and _scalar(value):
            scales.append(value)
            value = next(a for a in value.args if isinstance(a, fx.Node))
        rank = len(shape(program, value) or ())
        if dims != (rank - 1,) or only_user(value) is None:
            continue
        with graph.inserting_before(node):
            new = _matvec(program, value, how)
            if new is None:
                continue
            for scale in reversed(scales):
                args = tuple(new if isinstance(a, fx.Node) else a for a in scale.args)
                new = graph.create_node(scale.op, scale.target, args)
            if keep:
                new = graph.call_method("unsqueeze", (new, -1))
        match.replace(node, new)
        done.append(f"{how} over the features of {value.name} became a matrix-vector product")
    return _said(done, "no sum or mean over the features of a linear layer or a product")


def _scalar(node: fx.Node) -> bool:
    """Whether a pointwise operation multiplies by a number: it commutes with a sum."""
    if kind_free(node) == "div":
        return isinstance(node.args[0], fx.Node) and number(node.args[1]) is not None
    others = [a for a in node.args if not isinstance(a, fx.Node)]
    return not node.kwargs and all(number(a) is not None for a in others) and len(node.args) - len(others) == 1


def kind_free(node: fx.Node) -> str:
    name = getattr(node.target, "__name__", str(node.target))
    return "div" if name in ("truediv", "div", "divide", "true_divide", "itruediv") else name


def _matvec(program: Program, value: fx.Node, how: str) -> fx.Node | None:
    graph = program.graph
    layer = match.linear(program, value)
    if layer is not None:
        source, weight, bias = layer
        name = weight.replace(".", "_")
        row = prepared(program, f"{name}_{how}", f"lambda weight: weight.{how}(0)", [weight])
        new = graph.call_function(torch.matmul, (source, row))
        if bias is not None:
            total = prepared(program, f"{bias.replace('.', '_')}_{how}", f"lambda bias: bias.{how}()", [bias])
            new = graph.call_function(operator.add, (new, total))
        return new
    if kind(program, value) != "matmul":
        return None
    left, right = (match.argument(program, value, i, n) for i, n in ((0, "input"), (1, "other")))
    if len(shape(program, left) or ()) < 2 or len(shape(program, right) or ()) < 2:
        return None
    column = graph.call_method(how, (right, -1), {"keepdim": True})
    return graph.call_method("squeeze", (graph.call_function(torch.matmul, (left, column)), -1))


def linear_mean_commute(program: Program) -> str:
    """The mean over tokens of a linear layer is the layer of the mean: one row through it instead of all."""
    graph, done = program.graph, []
    for node in list(graph.nodes):
        found = reduction(program, node)
        if found is None:
            continue
        how, value, dims, keep = found
        layer = match.linear(program, value)
        if layer is None or only_user(value) is None:
            continue
        source, weight, bias = layer
        sizes = shape(program, source) or ()
        if not dims or len(sizes) - 1 in dims or (how == "sum" and bias is not None):
            continue
        with graph.inserting_before(node):
            less = graph.call_method(how, (source, dims), {"keepdim": True} if keep else {})
            if value.op == "call_module":
                new = graph.call_module(str(value.target), (less,))
            else:
                new = graph.create_node("call_function", value.target, (less, *value.args[1:]), dict(value.kwargs))
        match.replace(node, new)
        done.append(f"{how} over dimensions {dims} before {weight.rpartition('.')[0] or weight} instead of after it")
    return _said(done, "no mean or sum over other dimensions directly after a linear layer")


def matmul_reassociation(program: Program) -> str:
    """`(a @ b) @ c` or `a @ (b @ c)`, whichever needs fewer multiplications."""
    graph, done = program.graph, []
    for node in list(graph.nodes):
        if kind(program, node) != "matmul":
            continue
        left, right = (match.argument(program, node, i, n) for i, n in ((0, "input"), (1, "other")))
        for inner, first in ((left, True), (right, False)):
            if kind(program, inner) != "matmul" or only_user(inner) is None:
                continue
            a, b = (match.argument(program, inner, i, n) for i, n in ((0, "input"), (1, "other")))
            three = (a, b, right) if first else (left, a, b)
            costs = _costs(program, three)
            if costs is None:
                continue
            now, other = costs if first else costs[::-1]
            if other * 1.1 >= now:
                continue
            with graph.inserting_before(node):
                if first:
                    part = graph.call_function(operator.matmul, (b, right))
                    new = graph.call_function(operator.matmul, (a, part))
                else:
                    part = graph.call_function(operator.matmul, (left, a))
                    new = graph.call_function(operator.matmul, (part, b))
            match.replace(node, new)
            done.append(f"a product of three reassociated, {now / other:.1f} times fewer multiplications")
            break
    return _said(done, "no product of three matrices that is cheaper in another order")


def _costs(program: Program, three: tuple[Any, Any, Any]) -> tuple[int, int] | None:
    """Multiplications of `(a @ b) @ c` and of `a @ (b @ c)`; None unless all are matrices or equal batches."""
    shapes = [shape(program, value) or () for value in three]
    if len({s[:-2] for s in shapes}) != 1 or any(len(s) < 2 for s in shapes):
        return None
    (m, k), (_, n), (_, p) = (s[-2:] for s in shapes)
    return m * k * n + m * n * p, k * n * p + m * k * p


def pooling_composition(program: Program) -> str:
    """Pools with stride = kernel compose: two in one, and average pools vanish before a global mean."""
    done: list[str] = []
    changed = True
    while changed:
        changed = False
        for node in list(program.graph.nodes):
            said = _two_pools(program, node) or _pool_then_mean(program, node)
            if said:
                done.append(said)
                changed = True
                break
    return _said(done, "no pools with stride equal to the kernel that follow one another or precede a global mean")


POOLS = {f"{how}pool{d}d": (how, d) for how in ("avg", "max") for d in (1, 2, 3)}
FUNCTIONS = {
    f"{how}pool{d}d": getattr(torch.nn.functional, f"{how}_pool{d}d") for how in ("avg", "max") for d in (1, 2, 3)
}


def _pool(program: Program, node: Any) -> tuple[str, fx.Node, tuple[int, ...], tuple[int, ...]] | None:
    """(kind, input, kernel, sizes of the image) of a pool whose windows tile it: no padding, none left over or not."""
    name = kind(program, node)
    if name not in POOLS:
        return None
    d = POOLS[name][1]
    kernel = _tuple(match.argument(program, node, 1, "kernel_size"), d)
    stride = match.argument(program, node, 2, "stride")
    stride = kernel if stride is None else _tuple(stride, d)
    padding = _tuple(match.argument(program, node, 3, "padding", 0), d)
    dilation = _tuple(match.argument(program, node, 4, "dilation", 1), d) if name.startswith("max") else (1,) * d
    ceil = match.argument(program, node, 5 if name.startswith("max") else 4, "ceil_mode", False)
    indices = match.argument(program, node, 6, "return_indices", False) if name.startswith("max") else False
    divisor = match.argument(program, node, 6, "divisor_override", None) if name.startswith("avg") else None
    source = match.argument(program, node, 0, "input")
    if stride != kernel or any(padding) or set(dilation) != {1} or ceil or indices or divisor or kernel is None:
        return None
    return name, source, kernel, (shape(program, source) or ())[-d:]


def _tuple(value: Any, d: int) -> tuple[int, ...]:
    return (value,) * d if isinstance(value, int) else tuple(value) * (d if len(value) == 1 else 1)


def _two_pools(program: Program, node: fx.Node) -> str | None:
    outer = _pool(program, node)
    inner = _pool(program, outer[1]) if outer else None
    if outer is None or inner is None or outer[0] != inner[0] or only_user(outer[1]) is None:
        return None
    kernel = tuple(a * b for a, b in zip(outer[2], inner[2], strict=True))
    with program.graph.inserting_before(node):
        new = program.graph.call_function(FUNCTIONS[outer[0]], (inner[1], kernel))
    match.replace(node, new)
    return f"two {outer[0]}s became one of kernel {kernel}"


def _pool_then_mean(program: Program, node: fx.Node) -> str | None:
    found = reduction(program, node)
    pool = _pool(program, found[1]) if found else None
    if found is None or pool is None or found[0] != "mean" or only_user(found[1]) is None:
        return None
    name, source, kernel, sizes = pool
    rank = len(shape(program, source) or ())
    covered = all(s % k == 0 for s, k in zip(sizes, kernel, strict=True))
    if not name.startswith("avg") or not covered or not set(range(rank - len(kernel), rank)) <= set(found[2]):
        return None
    with program.graph.inserting_before(node):
        new = program.graph.call_method("mean", (source, found[2]), {"keepdim": True} if found[3] else {})
    match.replace(node, new)
    return f"the mean over all windows of an {name} became the mean of its input"


def _said(done: list[str], otherwise: str) -> str:
    if not done:
        raise DeclineError(otherwise)
    return "; ".join(dict.fromkeys(done))
