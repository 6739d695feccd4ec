"""Operations in place, out of the way of the rewrites.

Rewrites move, merge and drop operations, which is right only where an operation does nothing but give a value. So
before any of them an operation in place becomes one that is not, where nobody can tell; elsewhere the task is declined.
Not covered: what a forward leaves in the module's attributes; `tracing.trace` declines that.
"""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import fx, nn
from torch.utils._pytree import tree_leaves

from cuda_l1.transforms import match
from cuda_l1.transforms.program import DeclineError, Program, evaluate

POINTWISE = {
    "abs",
    "add",
    "addmm",
    "baddbmm",
    "clamp",
    "clamp_max",
    "clamp_min",
    "div",
    "exp",
    "log",
    "masked_fill",
    "mul",
}
POINTWISE |= {"neg", "pow", "relu", "rsqrt", "sigmoid", "sqrt", "square", "sub", "tanh", "tril", "triu"}
TO_PLACES = {"index_add", "index_copy", "index_fill", "index_put", "index_reduce"}
TO_PLACES |= {"scatter", "scatter_add", "scatter_reduce"}
OPERATORS = {
    operator.iadd: operator.add, operator.isub: operator.sub, operator.imul: operator.mul,
    operator.itruediv: operator.truediv, operator.ipow: operator.pow, operator.imod: operator.mod,
    operator.ifloordiv: operator.floordiv, operator.iand: operator.and_, operator.ior: operator.or_,
    operator.ixor: operator.xor, operator.ilshift: operator.lshift, operator.irshift: operator.rshift,
}  # fmt: skip
MODULES: dict[type, tuple[Any, tuple[str, ...]]] = {
    nn.ReLU: (nn.functional.relu, ()),
    nn.ReLU6: (nn.functional.relu6, ()),
    nn.SiLU: (nn.functional.silu, ()),
    nn.Mish: (nn.functional.mish, ()),
    nn.Hardswish: (nn.functional.hardswish, ()),
    nn.LeakyReLU: (nn.functional.leaky_relu, ("negative_slope",)),
    nn.ELU: (nn.functional.elu, ("alpha",)),
    nn.Hardtanh: (nn.functional.hardtanh, ("min_val", "max_val")),
    nn.Dropout: (nn.functional.dropout, ("p", "training")),
}
"""Modules with a setting `inplace`: the function, and which of the module's attributes it takes."""


def purify(program: Program) -> None:
    """Replace every operation in place by one that gives a new tensor. DeclineError where that would show."""
    order = {node: index for index, node in enumerate(program.graph.nodes)}
    for node in list(program.graph.nodes):
        changed = _changed(program, node)
        if changed is not None:
            _check_unseen(order, node, changed)
            for user in [each for each in changed.users if order[each] > order[node]]:
                user.replace_input_with(changed, node)  # by that name it is what the operation has made of it
            new = _replace(program, node)
            order[new] = order.pop(node)
    program.propagate()


def writes_to_out(node: fx.Node) -> bool:
    """Whether its result goes into a tensor that it is given as `out`; None stands there in each `F.normalize`."""
    return node.kwargs.get("out") is not None


def _changed(program: Program, node: fx.Node) -> fx.Node | None:
    """The value that an operation changes in place; None if it changes nothing."""
    if writes_to_out(node):
        raise DeclineError("forward writes a result into a tensor given as out")
    in_place = match.is_named_in_place(node) or node.target in OPERATORS or node.kwargs.get("inplace") is True
    in_place = in_place or getattr(program.module_of(node), "inplace", False)
    first = node.args[0] if node.args else None
    return first if in_place and isinstance(first, fx.Node) and _storages(first) else None


def _storages(node: fx.Node) -> set[int]:
    """The memory that a node's tensors lie in; a view lies in that of its base, on the meta device too."""
    leaves = tree_leaves(node.meta["value"])
    return {leaf.untyped_storage()._cdata for leaf in leaves if isinstance(leaf, torch.Tensor)}


def _check_unseen(order: dict[fx.Node, int], node: fx.Node, changed: fx.Node) -> None:
    for other in order:
        if order[other] >= order[node] or not _storages(changed) & _storages(other):
            continue
        if other.op in ("placeholder", "get_attr"):
            raise DeclineError(f"forward changes {other.target}, an input or a weight, in place")
        if other is not changed and any(order[user] > order[node] for user in other.users):
            raise DeclineError(f"forward uses {other.name} again after {node.name} has changed it in place")


def _replace(program: Program, node: fx.Node) -> fx.Node:
    """What stands in its place, and is still known to share memory with its views."""
    graph, module = program.graph, program.module_of(node)
    keywords = {key: value for key, value in node.kwargs.items() if key != "inplace"}
    with graph.inserting_before(node):
        if module is not None:
            if type(module) not in MODULES:
                raise DeclineError(f"{node.target}, a {type(module).__name__}, works in place")
            function, names = MODULES[type(module)]
            new = graph.call_function(function, node.args, {name: getattr(module, name) for name in names})
        elif node.target in OPERATORS:
            new = graph.call_function(OPERATORS[node.target], node.args)
        else:
            new = _without_underscore(graph, node, keywords)
    new.meta["value"] = evaluate(new, program.model, program.inputs)
    old, value = node.meta["value"], new.meta["value"]
    if old.shape != value.shape or old.dtype != value.dtype:
        raise DeclineError(
            f"{node.name} changes a tensor in place and keeps its shape and dtype, which a sum would not"
        )
    new.meta["value"] = old
    match.replace(node, new)
    return new


def _without_underscore(graph: fx.Graph, node: fx.Node, keywords: dict[str, Any]) -> fx.Node:
    if node.op == "call_function" and node.kwargs.get("inplace") is True:
        return graph.create_node(node.op, node.target, node.args, keywords)
    name = (node.target if isinstance(node.target, str) else node.target.__name__).removesuffix("_")
    if name not in POINTWISE | TO_PLACES:
        raise DeclineError(f"forward calls {name}_, which works in place")
    target = name if node.op == "call_method" else getattr(torch, name)
    return graph.create_node(node.op, target, node.args, keywords)
