"""What a node does, whichever way it was spelled: `a @ b`, `torch.matmul(a, b)`, `a.matmul(b)` are all `matmul`."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import fx, nn

from cuda_l1.transforms.program import Program

ALIASES = {
    "mm": "matmul",
    "bmm": "matmul",
    "iadd": "add",
    "isub": "sub",
    "imul": "mul",
    "multiply": "mul",
    "subtract": "sub",
    "truediv": "div",
    "divide": "div",
    "true_divide": "div",
    "itruediv": "div",
    "negative": "neg",
    "swapaxes": "transpose",
    "swapdims": "transpose",
    "avg_pool2d": "avgpool2d",
    "max_pool2d": "maxpool2d",
    "max_pool2d_with_indices": "maxpool2d",
    "boolean_dispatch": "maxpool2d",
}
MODULES: dict[type, str] = {
    nn.ReLU: "relu",
    nn.ReLU6: "relu6",
    nn.Sigmoid: "sigmoid",
    nn.Tanh: "tanh",
    nn.GELU: "gelu",
    nn.SiLU: "silu",
    nn.LeakyReLU: "leaky_relu",
    nn.ELU: "elu",
    nn.Softplus: "softplus",
    nn.Hardtanh: "hardtanh",
    nn.Mish: "mish",
    nn.Softsign: "softsign",
    nn.Hardswish: "hardswish",
    nn.Hardsigmoid: "hardsigmoid",
    nn.Softmax: "softmax",
    nn.Identity: "identity",
    nn.Dropout: "dropout",
    nn.Dropout1d: "dropout",
    nn.Dropout2d: "dropout",
    nn.Dropout3d: "dropout",
    nn.Linear: "linear",
    nn.AvgPool1d: "avgpool1d",
    nn.AvgPool2d: "avgpool2d",
    nn.AvgPool3d: "avgpool3d",
    nn.MaxPool1d: "maxpool1d",
    nn.MaxPool2d: "maxpool2d",
    nn.MaxPool3d: "maxpool3d",
}


def kind(program: Program, node: Any) -> str:
    """The operation's one name; "" for placeholders, outputs and what is not a node."""
    if not isinstance(node, fx.Node):
        return ""
    if node.op == "call_module":
        module = program.module_of(node)
        if module is not None and (module._forward_hooks or module._forward_pre_hooks):
            return "hooked"
        return MODULES.get(type(module), type(module).__name__.lower())
    if node.op == "get_attr":
        return "weight"
    if node.op not in ("call_function", "call_method"):
        return ""
    name = node.target if node.op == "call_method" else getattr(node.target, "__name__", "")
    name = str(name).strip("_") if str(name).startswith("__") else str(name)
    return ALIASES.get(name, name)


def is_named_in_place(node: fx.Node) -> bool:
    """Whether it bears a name of PyTorch's for what works in place, as `relu_` does; `|` does not: `operator.or_`."""
    if node.op not in ("call_function", "call_method") or node.target in (operator.or_, operator.and_):
        return False
    name = str(getattr(node.target, "__name__", node.target))
    return name.endswith("_") and not name.endswith("__")


def argument(program: Program, node: fx.Node, position: int, name: str, default: Any = None) -> Any:
    """An argument by place or name; of a module, its attribute of that name."""
    if node.op == "call_module" and position > 0:
        return getattr(program.module_of(node), name, default)
    if len(node.args) > position:
        return node.args[position]
    return node.kwargs.get(name, default)


def shape(program: Program, value: Any) -> tuple[int, ...] | None:
    """The shape of a node's tensor; () of a number; None of anything else."""
    if isinstance(value, int | float):
        return ()
    if isinstance(value, fx.Node):
        tensor = program.value_of(value)
        if isinstance(tensor, torch.Tensor):
            return tuple(tensor.shape)
    return None


def is_floating(program: Program, value: Any) -> bool:
    tensor = program.value_of(value) if isinstance(value, fx.Node) else value
    return isinstance(tensor, torch.Tensor) and tensor.is_floating_point()


def only_user(node: fx.Node) -> fx.Node | None:
    """The one node that uses a value; None if there are more or none."""
    return next(iter(node.users)) if len(node.users) == 1 else None


def number(value: Any) -> float | None:
    """A Python number, or None."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def reduction(program: Program, node: Any) -> tuple[str, fx.Node, tuple[int, ...], bool] | None:
    """(sum or mean, input, dims from the front, keepdim) of a plain reduction."""
    name = kind(program, node)
    if name not in ("sum", "mean") or node.kwargs.get("dtype") is not None or len(node.args) > 3:
        return None
    value = argument(program, node, 0, "input")
    dims = argument(program, node, 1, "dim")
    if dims is None:
        dims = node.kwargs.get("axis")
    keep = bool(argument(program, node, 2, "keepdim", False))
    if (
        node.op == "call_method"
        and len(node.args) > 2
        and all(isinstance(a, int) and not isinstance(a, bool) for a in node.args[1:])
    ):
        return None
    sizes = shape(program, value)
    if sizes is None or not is_floating(program, value):
        return None
    if dims is None:
        dims = tuple(range(len(sizes)))
    dims = (dims,) if isinstance(dims, int) else tuple(dims)
    return name, value, tuple(sorted(d % len(sizes) for d in dims)), keep


def transposed(program: Program, node: Any) -> fx.Node | None:
    """What a node is the transpose of over its last two dimensions; None if it is not one."""
    if not isinstance(node, fx.Node):
        return None
    name, rank = kind(program, node), len(shape(program, node) or ())
    source: fx.Node = argument(program, node, 0, "input")
    if name in ("t", "adjoint") and rank == 2:
        return source
    if name == "getattr" and node.args[1] in ("T", "mT") and (rank == 2 or node.args[1] == "mT"):
        return source
    if name == "transpose" and rank >= 2:
        dims = {argument(program, node, 1, "dim0"), argument(program, node, 2, "dim1")}
        if all(isinstance(d, int) for d in dims) and {d % rank for d in dims} == {rank - 1, rank - 2}:
            return source
    if name == "permute":
        given: Any = node.args[1:]
        order = given[0] if isinstance(given[0], tuple | list) else given
        if [d % rank for d in order] == [*range(rank - 2), rank - 1, rank - 2]:
            return source
    return None


def linear(program: Program, node: Any) -> tuple[fx.Node, str, str | None] | None:
    """(input, path of the weight, path of the bias) of an nn.Linear or an F.linear with weights of the module."""
    if kind(program, node) != "linear":
        return None
    if node.op == "call_module":
        module = program.module_of(node)
        path = str(node.target)
        return (
            node.args[0],
            f"{path}.weight",
            f"{path}.bias" if module is not None and module.bias is not None else None,
        )
    weight, bias = argument(program, node, 1, "weight"), argument(program, node, 2, "bias")
    if kind(program, weight) != "weight" or (bias is not None and kind(program, bias) != "weight"):
        return None
    return node.args[0], str(weight.target), None if bias is None else str(bias.target)


def replace(node: fx.Node, new: fx.Node) -> None:
    """Let the users of `node` use `new`, in its place in the source, and drop what nobody uses any more."""
    new.meta.setdefault("line", node.meta.get("line", 0))
    node.replace_all_uses_with(new)
    erase(node)


def erase(node: fx.Node) -> None:
    """Drop a node without users, and its arguments that lose their last one."""
    waiting, gone = [node], set[fx.Node]()
    while waiting:
        node = waiting.pop()
        if node in gone or node.users or node.op in ("placeholder", "output"):
            continue
        waiting += node.all_input_nodes
        node.graph.erase_node(node)
        gone.add(node)
