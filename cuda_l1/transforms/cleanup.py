"""Rewrites that drop work: operations that change nothing, values computed twice, buffers written once more."""

from __future__ import annotations

from typing import Any

from torch import fx

from cuda_l1.transforms import match
from cuda_l1.transforms.match import kind, number
from cuda_l1.transforms.program import DeclineError, Program
from cuda_l1.transforms.purity import TO_PLACES, writes_to_out

RANDOM = {"dropout", "rand", "randn", "randint", "bernoulli", "multinomial", "normal", "randperm", "rand_like"}
IDEMPOTENT = {"relu", "relu6", "abs", "floor", "ceil", "round", "contiguous", "detach"}

OF_ONE = {"sum", "mean", "amax", "amin", "logsumexp", "prod"}
"""Reductions that give their input's own value where it has one element along the dimension, as equal shapes say."""


def dead_operations(program: Program) -> str:
    """Drop dropout in eval mode, `x * 1`, `relu(relu(x))`, reductions of one element, and results that nobody uses."""
    done: list[str] = []
    for node in list(program.graph.nodes):
        source = _same_as(program, node)
        if source is not None and _equal(program, node, source):
            done.append(f"{kind(program, node)} changed nothing")
            match.replace(node, source)
    for node in reversed(list(program.graph.nodes)):
        if (
            not node.users
            and node.op in ("call_function", "call_method", "call_module", "get_attr")
            and _pure(program, node)
        ):
            if node.op != "get_attr":
                done.append(f"nobody used the result of {kind(program, node)}")
            program.graph.erase_node(node)
    if not done:
        raise DeclineError("every operation changes something that is used")
    return "; ".join(dict.fromkeys(done))


def _same_as(program: Program, node: fx.Node) -> fx.Node | None:
    """The argument that a node returns unchanged; None if it changes it."""
    name = kind(program, node)
    first = node.args[0] if node.args else None
    if name == "identity" and isinstance(first, fx.Node):
        return first
    if name == "dropout" and isinstance(first, fx.Node):
        training = match.argument(program, node, 2, "training", True)
        off = program.task.mode == "eval" if node.op == "call_module" else training is False
        return first if off else None
    if name in IDEMPOTENT and kind(program, first) == name and not node.kwargs and isinstance(first, fx.Node):
        return first
    if name in OF_ONE and match.argument(program, node, 1, "dim") is not None:
        return first if isinstance(first, fx.Node) else None
    if name == "getitem" and node.args[1] == 0 and kind(program, first) in ("max", "min"):
        assert isinstance(first, fx.Node)
        several = isinstance(program.value_of(first), tuple)
        return first.args[0] if several and isinstance(first.args[0], fx.Node) else None
    if len(node.args) != 2 or node.kwargs:
        return None
    left, right = node.args
    neutral: dict[str, float] = {"add": 0, "sub": 0, "mul": 1, "div": 1, "pow": 1}
    if name in neutral and number(right) == neutral[name] and isinstance(left, fx.Node):
        return left
    if name in ("add", "mul") and number(left) == neutral[name] and isinstance(right, fx.Node):
        return right
    return None


def _equal(program: Program, node: fx.Node, source: fx.Node) -> bool:
    a, b = program.value_of(node), program.value_of(source)
    # An output that is the very input, or a weight, would let the caller change it: that stays a copy.
    returned = any(user.op == "output" for user in node.users) and source.op in ("placeholder", "get_attr")
    return a.shape == b.shape and a.dtype == b.dtype and not returned


def _pure(program: Program, node: fx.Node) -> bool:
    name = str(node.target) if node.op == "call_method" else kind(program, node)
    if node.op == "call_module":
        return program.task.mode == "eval"
    is_seen = match.is_named_in_place(node) or name.endswith("__") or name in ("setitem", "setattr", "_assert")
    return not is_seen and not writes_to_out(node)


def common_subexpressions(program: Program) -> str:
    """A value computed twice from the same arguments is computed once."""
    seen: dict[Any, fx.Node] = {}
    done: list[str] = []
    if _changes_in_place(program):
        raise DeclineError("forward changes a tensor in place, so equal operations may have unequal values")
    for node in list(program.graph.nodes):
        if node.op not in ("call_function", "call_method", "get_attr", "call_module"):
            continue
        name = kind(program, node)
        if name in RANDOM or (node.op == "call_module" and program.task.mode == "train"):
            continue
        key = (node.op, node.target if node.op != "call_function" else id(node.target), repr((node.args, node.kwargs)))
        if key not in seen:
            seen[key] = node
            continue
        node.replace_all_uses_with(seen[key])
        program.graph.erase_node(node)
        if node.op != "get_attr":
            done.append(name)
    if not done:
        raise DeclineError("no value is computed twice")
    return f"computed once instead of again: {', '.join(dict.fromkeys(done))}"


def _changes_in_place(program: Program) -> bool:
    for node in program.graph.nodes:
        name = str(node.target) if node.op == "call_method" else getattr(node.target, "__name__", "")
        if match.is_named_in_place(node) or name == "setitem" or writes_to_out(node):
            return True
        if getattr(program.module_of(node), "inplace", False):
            return True
    return False


IN_PLACE = {"relu": "relu_", "sigmoid": "sigmoid_", "tanh": "tanh_", "exp": "exp_", "add": "add_", "mul": "mul_"}
IN_PLACE |= {
    "sub": "sub_",
    "div": "div_",
    "clamp": "clamp_",
    "neg": "neg_",
    "sqrt": "sqrt_",
    "masked_fill": "masked_fill_",
}
IN_PLACE |= {name: f"{name}_" for name in TO_PLACES}
FRESH = {"matmul", "linear", "conv1d", "conv2d", "conv3d", "batchnorm1d", "batchnorm2d", "batchnorm3d", "layernorm"}
FRESH |= {"groupnorm", "softmax", "add", "mul", "sub", "div", "pow", "exp", "tanh", "sigmoid", "relu", "gelu", "silu"}
FRESH |= {
    "convtranspose1d",
    "convtranspose2d",
    "convtranspose3d",
    "mean",
    "sum",
    "addmm",
    "baddbmm",
    "avgpool2d",
    "maxpool2d",
}
FRESH |= {"zeros", "zeros_like", "new_zeros", "ones", "ones_like", "new_ones", "full", "full_like", "new_full"}
FRESH |= set(IN_PLACE.values())


def inplace_epilogues(program: Program) -> str:
    """A pointwise operation, or one that writes to places, writes over its argument when that is an intermediate that
    nobody else sees."""
    done: list[str] = []
    if _changes_in_place(program):
        raise DeclineError("forward changes tensors in place already")
    for node in list(program.graph.nodes):
        name = kind(program, node)
        if name not in IN_PLACE or (node.op == "call_method" and str(node.target).endswith("_")):
            continue
        first = node.args[0] if node.args else None
        commutes = name in ("add", "mul") and not node.kwargs
        swapped = commutes and len(node.args) == 2 and not _may_overwrite(program, node, first)
        if swapped:
            first = node.args[1]
        if not isinstance(first, fx.Node) or not _may_overwrite(program, node, first):
            continue
        rest = (node.args[0],) if swapped else node.args[1:]
        if any(a is first for a in rest):
            continue
        with program.graph.inserting_before(node):
            kwargs = {} if node.op == "call_module" else {k: v for k, v in node.kwargs.items() if k != "inplace"}
            new = program.graph.call_method(
                IN_PLACE[name], (first, *([] if node.op == "call_module" else rest)), kwargs
            )
        match.replace(node, new)
        done.append(IN_PLACE[name])
    if not done:
        raise DeclineError("no pointwise operation follows an intermediate that only it uses")
    program.guards.append("torch.is_grad_enabled()")
    return f"in place: {', '.join(dict.fromkeys(done))}"


def _may_overwrite(program: Program, node: fx.Node, value: Any) -> bool:
    if not isinstance(value, fx.Node) or len(value.users) != 1 or kind(program, value) not in FRESH:
        return False
    a, b = program.value_of(node), program.value_of(value)
    return bool(a.shape == b.shape and a.dtype == b.dtype)
