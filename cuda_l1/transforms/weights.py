"""Rewrites that prepare weights once: folded, merged, transposed. Prepared anew when a weight changes (see emit)."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import fx, nn

from cuda_l1.transforms import match
from cuda_l1.transforms.body import Body
from cuda_l1.transforms.match import argument, kind, number, only_user, shape
from cuda_l1.transforms.program import DeclineError, Program, prepared

CONVOLUTIONS: dict[type, Any] = {
    nn.Conv1d: torch.nn.functional.conv1d,
    nn.Conv2d: torch.nn.functional.conv2d,
    nn.Conv3d: torch.nn.functional.conv3d,
}
NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)


def conv_bn_folding(program: Program) -> str:
    """Batch norm in eval mode is a scale and a shift of each channel: they go into the convolution before it."""
    if program.task.mode != "eval":
        raise DeclineError("in train mode batch norm depends on the batch")
    done = []
    for node in list(program.graph.nodes):
        norm: Any = program.module_of(node)
        conv_node = node.args[0] if node.args and isinstance(node.args[0], fx.Node) else None
        conv: Any = program.module_of(conv_node) if conv_node is not None else None
        if (
            conv_node is None
            or type(norm) not in NORMS
            or type(conv) not in CONVOLUTIONS
            or kind(program, node) == "hooked"
        ):
            continue
        plain = only_user(conv_node) is not None and isinstance(conv.padding, tuple) and conv.padding_mode == "zeros"
        if plain and norm.track_running_stats:
            match.replace(node, _folded(program, conv_node, node))
            done.append(f"{node.target} folded into {conv_node.target}")
    if not done:
        raise DeclineError("no batch norm directly after a convolution")
    return "; ".join(done)


def _folded(program: Program, conv_node: fx.Node, node: fx.Node) -> fx.Node:
    graph, conv, norm = program.graph, program.module_of(conv_node), program.module_of(node)
    paths = {
        "weight": f"{conv_node.target}.weight",
        "mean": f"{node.target}.running_mean",
        "var": f"{node.target}.running_var",
    }
    scale = f"torch.rsqrt(var + {norm.eps!r})"
    if norm.affine:
        paths |= {"gamma": f"{node.target}.weight", "beta": f"{node.target}.bias"}
        scale = f"gamma * {scale}"
    shift = "-mean"
    if conv.bias is not None:
        paths["bias"] = f"{conv_node.target}.bias"
        shift = "bias - mean"
    ones = ", 1" * (len(conv.kernel_size) + 1)
    beta = " + beta" if norm.affine else ""
    names = ", ".join(paths)
    make = f"lambda {names}: (weight * ({scale}).view(-1{ones}), ({shift}) * {scale}{beta})"
    name = f"{conv_node.target}_folded".replace(".", "_")
    with graph.inserting_before(node):
        pair = prepared(program, name, make, list(paths.values()))
        weight = graph.call_function(operator.getitem, (pair, 0))
        bias = graph.call_function(operator.getitem, (pair, 1))
        settings = (conv.stride, conv.padding, conv.dilation, conv.groups)
        return graph.call_function(CONVOLUTIONS[type(conv)], (conv_node.args[0], weight, bias, *settings))


def addmm_folding(program: Program) -> str:
    """A product and the sum after it are one call, which adds while the result is still in registers."""
    done = []
    for node in list(program.graph.nodes):
        if kind(program, node) != "add" or node.kwargs or len(node.args) != 2:
            continue
        for product, other in (node.args, node.args[::-1]):
            said = _addmm(program, node, product, other)
            if said:
                done.append(said)
                break
    if not done:
        raise DeclineError("no sum directly after a product of two or three dimensions")
    return "; ".join(dict.fromkeys(done))


def _addmm(program: Program, node: fx.Node, product: Any, other: Any) -> str | None:
    alpha: float = 1
    while kind(program, product) in ("mul", "div") and only_user(product) is not None:
        first, second = argument(program, product, 0, "input"), argument(program, product, 1, "other")
        if kind(program, product) == "mul" and number(first):
            first, second = second, first
        if not number(second):
            break
        alpha = alpha * second if kind(program, product) == "mul" else alpha / second
        product = first
    if kind(program, product) != "matmul" or only_user(product) is None or not isinstance(other, fx.Node):
        return None
    left, right = argument(program, product, 0, "input"), argument(program, product, 1, "other")
    sizes = [shape(program, value) or () for value in (left, right, product, other, node)]
    rank = len(sizes[2])
    if sizes[2] != sizes[4] or len(sizes[0]) != rank or len(sizes[1]) != rank or rank not in (2, 3):
        return None
    if not match.is_floating(program, product) or program.value_of(other).dtype != program.value_of(product).dtype:
        return None
    function = torch.addmm if rank == 2 else torch.baddbmm
    with program.graph.inserting_before(node):
        keywords: dict[str, Any] = {} if alpha == 1 else {"alpha": alpha}
        match.replace(node, program.graph.call_function(function, (other, left, right), keywords))
    return f"a sum after a product became {function.__name__}"


def prepared_weights(program: Program) -> str:
    """Linear layers of one input become one, with their weights side by side; what depends on weights alone is kept."""
    done = merged(program) + _constants(program)
    if not done:
        raise DeclineError("no two linear layers of one input, and no operation on weights alone")
    return "; ".join(dict.fromkeys(done))


def merged(program: Program) -> list[str]:
    graph, done = program.graph, []
    groups: dict[fx.Node, list[fx.Node]] = {}
    for node in graph.nodes:
        if (layer := match.linear(program, node)) is not None:
            groups.setdefault(layer[0], []).append(node)
    for source, nodes in groups.items():
        layers = [layer for node in nodes if (layer := match.linear(program, node)) is not None]
        if len({layer[1] for layer in layers}) < 2 or len({layer[2] is None for layer in layers}) > 1:
            continue
        with graph.inserting_before(nodes[0]):
            joined = linear_of(program, source, [layer[1] for layer in layers], [layer[2] for layer in layers])
            sizes = [(shape(program, node) or ())[-1] for node in nodes]
            parts = graph.call_method("split", (joined, sizes, -1))
        for index, node in enumerate(nodes):
            with graph.inserting_before(node):
                part = graph.call_function(operator.getitem, (parts, index))
            match.replace(node, part)
        done.append(f"{len(nodes)} linear layers of {source.name} became one")
    return done


def linear_of(program: Program, source: fx.Node, weights: list[str], biases: list[str | None]) -> fx.Node:
    """A linear layer whose weights are those given, side by side."""
    name = "_".join(path.replace(".", "_") for path in weights)
    name = name if len(name) < 50 else f"{weights[0].replace('.', '_')}_and_{len(weights) - 1}_more"
    arguments = [source, prepared(program, name, "lambda *weights: torch.cat(weights)", weights)]
    if biases and biases[0] is not None:
        paths = [str(path) for path in biases]
        arguments.append(prepared(program, f"{name}_bias", "lambda *biases: torch.cat(biases)", paths))
    return program.graph.call_function(torch.nn.functional.linear, tuple(arguments))


PURE = {"t", "transpose", "permute", "contiguous", "mul", "div", "add", "sub", "exp", "softmax", "sum", "mean", "neg"}
PURE |= {"sigmoid", "tanh", "abs", "pow", "sqrt", "rsqrt", "clamp", "matmul", "tril", "triu", "diag", "softplus"}


def _constants(program: Program) -> list[str]:
    """Operations on parameters alone, with numbers as their other arguments."""
    done = []
    for node in list(program.graph.nodes):
        if kind(program, node) not in PURE or node.op == "call_module" or not node.all_input_nodes:
            continue
        sources = node.all_input_nodes
        if not all(kind(program, s) == "weight" for s in sources) or kind(program, node) in (
            "t",
            "transpose",
            "permute",
        ):
            continue
        names = [f"weight{index}" for index in range(len(sources))] if len(sources) > 1 else ["weight"]
        body = Body(program, {}, {})
        body.text.update(zip(sources, names, strict=True))
        name = f"{sources[0].target}_{node.name}".replace(".", "_")
        make = f"lambda {', '.join(names)}: {body.expression(node)}"
        match.replace(node, prepared(program, name, make, [str(source.target) for source in sources]))
        done.append("an operation on weights alone is kept")
    return done
