"""library_functions: activations, softmax and norms written out by hand become PyTorch's own functions.

What was five or ten passes over the activations is one. Formulas are patterns, matched whichever way a person orders
the operands of `+` and `*`. Not covered: formulas whose intermediate values are used elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from torch import fx
from torch.nn import functional as F

from cuda_l1.transforms import match
from cuda_l1.transforms.match import argument, kind, number, shape
from cuda_l1.transforms.program import DeclineError, Program

X = "x"
"""In a pattern: the formula's input, the same node wherever it stands."""
Bound = dict[str, Any]
SWAPPED = {"add", "mul"}
TOLERANCE = 1e-6


def _cube(x: Any) -> tuple[Any, ...]:
    return ("either", ("pow", x, 3), ("mul", ("mul", x, x), x), ("mul", ("pow", x, 2), x))


_TANH = ("tanh", ("mul", math.sqrt(2 / math.pi), ("add", X, ("mul", 0.044715, _cube(X)))))
_ERF = ("either", ("erf", ("div", X, math.sqrt(2))), ("erf", ("mul", X, math.sqrt(0.5))))
_HALF = ("either", ("mul", X, 0.5), ("div", X, 2))
_SOFTPLUS = ("either", ("softplus", X), ("log", ("add", 1, ("exp", X))), ("log1p", ("exp", X)))
_SIGMOID = ("either", ("div", 1, ("add", 1, ("exp", ("neg", X)))), ("reciprocal", ("add", 1, ("exp", ("neg", X)))))


def _gated(gate: Any) -> tuple[Any, ...]:
    """`x / 2 * (1 + gate)` in its three orders."""
    plus = ("add", 1, gate)
    return ("either", ("mul", _HALF, plus), ("mul", X, ("mul", 0.5, plus)), ("mul", 0.5, ("mul", X, plus)))


ACTIVATIONS: dict[str, tuple[Any, Callable[..., Any], dict[str, Any]]] = {
    "gelu (tanh)": (_gated(_TANH), F.gelu, {"approximate": "tanh"}),
    "gelu": (_gated(_ERF), F.gelu, {}),
    "mish": (("mul", X, ("tanh", _SOFTPLUS)), F.mish, {}),
    "silu": (("mul", X, ("either", ("sigmoid", X), _SIGMOID)), F.silu, {}),
    "hardswish": (("mul", X, ("clamp", ("div", ("add", X, 3), 6), 0, 1)), F.hardswish, {}),
    "sigmoid": (_SIGMOID, F.sigmoid, {}),
}


def library_functions(program: Program) -> str:
    """Replace each formula that is found, the largest first."""
    done: list[str] = []
    for node in list(program.graph.nodes):
        if node.users and (said := _softmax(program, node) or _norm(program, node)):
            done.append(said)
    for name, (pattern, function, keywords) in ACTIVATIONS.items():
        for node in list(program.graph.nodes):
            bound = next(matches(program, node, pattern, {}), None) if node.users else None
            if bound is None or not _closed(node, [bound[X]]) or not match.is_floating(program, bound[X]):
                continue
            with program.graph.inserting_before(node):
                new = program.graph.call_function(function, (bound[X],), dict(keywords))
            match.replace(node, new)
            done.append(f"a formula became {name}")
    if not done:
        raise DeclineError("no formula of an activation, a softmax or a norm written out by hand")
    return "; ".join(dict.fromkeys(done))


def matches(program: Program, value: Any, pattern: Any, bound: Bound) -> Iterator[Bound]:
    """Every way in which a value is what the pattern says, given what is bound already."""
    if isinstance(pattern, str):
        if pattern not in bound and isinstance(value, fx.Node):
            yield {**bound, pattern: value}
        elif pattern in bound and bound[pattern] is value:
            yield bound
    elif isinstance(pattern, int | float):
        found = number(value)
        if found is not None and abs(found - pattern) <= TOLERANCE * abs(pattern):
            yield bound
    elif pattern[0] == "either":
        for option in pattern[1:]:
            yield from matches(program, value, option, bound)
    else:
        for operands in _operands(program, value, pattern[0], len(pattern) - 1):
            yield from _all(program, operands, pattern[1:], bound)


def _all(program: Program, operands: tuple[Any, ...], patterns: tuple[Any, ...], bound: Bound) -> Iterator[Bound]:
    if not patterns:
        yield bound
        return
    for first in matches(program, operands[0], patterns[0], bound):
        yield from _all(program, operands[1:], patterns[1:], first)


def _operands(program: Program, value: Any, name: str, count: int) -> Iterator[tuple[Any, ...]]:
    """The operands of an operation of that name; of `+` and `*` in both orders."""
    found = kind(program, value)
    if isinstance(value, fx.Node) and name == "pow" and found == "square":
        yield (value.args[0], 2)
    if not isinstance(value, fx.Node) or found != name or value.kwargs.keys() - {"min", "max", "inplace"}:
        return
    if name == "clamp":
        yield tuple(argument(program, value, i, key) for i, key in enumerate(("input", "min", "max")))
    elif name == "softplus":
        if argument(program, value, 1, "beta", 1) == 1 and argument(program, value, 2, "threshold", 20) == 20:
            yield (value.args[0],)
    elif len(value.args) == count:
        yield value.args
        if name in SWAPPED:
            yield value.args[::-1]


def _closed(node: Any, inputs: list[fx.Node]) -> bool:
    """Whether what lies between the inputs and the node serves the node alone."""
    inside, todo = {node}, [node]
    while todo:
        for value in todo.pop().all_input_nodes:
            if value not in inputs and value not in inside and value.op not in ("get_attr", "placeholder"):
                inside.add(value)
                todo.append(value)
    return all(user in inside for value in inside - {node} for user in value.users)


def _softmax(program: Program, node: Any) -> str | None:
    """`exp(x - max(x)) / sum(exp(x - max(x)))` over one dimension."""
    if kind(program, node) != "div" or len(node.args) != 2 or kind(program, node.args[0]) != "exp":
        return None
    power, total = node.args
    reduced = match.reduction(program, total)
    if reduced is None or reduced[:2] != ("sum", power) or len(reduced[2]) != 1 or not reduced[3]:
        return None
    dims, source = reduced[2], power.args[0]
    inputs = [source]
    if kind(program, source) == "sub" and len(source.args) == 2:
        largest = _maximum(program, source.args[1])
        if largest == (source.args[0], dims[0]):
            source = source.args[0]
            inputs = [source]
    if not _closed(node, inputs):
        return None
    with program.graph.inserting_before(node):
        new = program.graph.call_function(F.softmax, (source,), {"dim": dims[0]})
    match.replace(node, new)
    return "exponentials and their sum became softmax"


def _maximum(program: Program, value: Any) -> tuple[Any, int] | None:
    """(input, dimension) of a maximum over one dimension that keeps it."""
    if kind(program, value) != "amax":
        if (kind(program, value), value.args[1:]) not in (("getitem", (0,)), ("getattr", ("values",))):
            return None
        value = value.args[0]
    dimension = argument(program, value, 1, "dim")
    if kind(program, value) not in ("max", "amax") or not isinstance(dimension, int):
        return None
    source = argument(program, value, 0, "input")
    rank = len(shape(program, source) or ())
    return (source, dimension % rank) if argument(program, value, 2, "keepdim", False) else None


def _norm(program: Program, node: Any) -> str | None:
    """`(x - mean) / sqrt(variance + eps)` over the last dimensions, or `x / sqrt(mean(x * x) + eps)`; weight, bias."""
    found = _standardised(program, node)
    if found is None:
        return None
    source, dims, eps, is_layer = found
    sizes = shape(program, source) or ()
    if dims != tuple(range(len(sizes) - len(dims), len(sizes))) or not _closed(node, [source]):
        return None
    weight = bias = None
    if (scaled := _affine(program, node, "mul", sizes[dims[0] :])) is not None:
        node, weight = scaled
        if is_layer and (shifted := _affine(program, node, "add", sizes[dims[0] :])) is not None:
            node, bias = shifted
    with program.graph.inserting_before(node):
        if is_layer:
            new = program.graph.call_function(F.layer_norm, (source, sizes[dims[0] :], weight, bias, eps))
        else:
            new = program.graph.call_function(F.rms_norm, (source, sizes[dims[0] :], weight, eps))
    match.replace(node, new)
    return f"mean, variance and scale became {'layer_norm' if is_layer else 'rms_norm'}"


def _standardised(program: Program, node: Any) -> tuple[fx.Node, tuple[int, ...], float, bool] | None:
    """(x, dims, eps, whether the mean is taken off) of a value over the root of its mean square."""
    if kind(program, node) not in ("div", "mul") or len(node.args) != 2:
        return None
    root = "sqrt" if kind(program, node) == "div" else "rsqrt"
    top, below = node.args
    if kind(program, below) != root and root == "rsqrt":
        top, below = below, top
    if kind(program, below) != root or not isinstance(top, fx.Node) or kind(program, below.args[0]) != "add":
        return None
    plus = below.args[0]
    terms = [a for a in plus.args if isinstance(a, fx.Node)]
    numbers = [number(a) for a in plus.args if not isinstance(a, fx.Node)]
    if len(terms) != 1 or len(numbers) != 1 or numbers[0] is None:
        return None
    centered = _centered(program, top)
    if centered is not None and _variance(program, terms[0], top, *centered):
        return centered[0], centered[1], numbers[0], True
    reduced = _mean_square(program, terms[0], top)
    return (top, reduced, numbers[0], False) if reduced is not None else None


def _centered(program: Program, top: Any) -> tuple[fx.Node, tuple[int, ...]] | None:
    """(x, dims) of `x - x.mean(dims, keepdim=True)`."""
    if kind(program, top) != "sub" or len(top.args) != 2 or top.kwargs:
        return None
    mean = match.reduction(program, top.args[1])
    if mean is None or mean[0] != "mean" or mean[1] is not top.args[0] or not mean[3]:
        return None
    return mean[1], mean[2]


def _variance(program: Program, value: Any, top: Any, source: fx.Node, dims: tuple[int, ...]) -> bool:
    """Whether a value is the mean square of `top`, or of such a difference computed again, or x.var(correction=0)."""
    if _mean_square(program, value, top) == dims:
        return True
    reduced = match.reduction(program, value)
    if reduced is not None:
        squared = reduced[1]
        again = squared.args[0] if kind(program, squared) in ("pow", "square") else None
        same = isinstance(again, fx.Node) and _centered(program, again) == (source, dims)
        return same and _mean_square(program, value, again) == dims
    if kind(program, value) != "var" or argument(program, value, 0, "input") is not source:
        return False
    given = value.kwargs.get("dim", value.args[1] if len(value.args) > 1 else None)
    given = (given,) if isinstance(given, int) else given
    rank = len(shape(program, source) or ())
    if not isinstance(given, tuple | list) or tuple(sorted(d % rank for d in given)) != dims:
        return False
    biased = value.kwargs.get("unbiased") is False or value.kwargs.get("correction") == 0
    return biased and value.kwargs.get("keepdim") is True


def _mean_square(program: Program, value: Any, top: Any) -> tuple[int, ...] | None:
    """The dims of `mean(top ** 2, dims, keepdim=True)`."""
    reduced = match.reduction(program, value)
    if reduced is None or reduced[0] != "mean" or not reduced[3]:
        return None
    squares = ("either", ("pow", X, 2), ("mul", X, X))
    found = next(matches(program, reduced[1], squares, {}), None)
    return reduced[2] if found is not None and found[X] is top else None


def _affine(program: Program, node: Any, name: str, sizes: tuple[int, ...]) -> tuple[fx.Node, fx.Node] | None:
    """(the user, the weight) where the one user of a node scales or shifts it by a weight of the sizes given."""
    user = match.only_user(node)
    if user is None or kind(program, user) != name or len(user.args) != 2 or user.kwargs:
        return None
    other = user.args[1] if user.args[0] is node else user.args[0]
    fits = kind(program, other) == "weight" and shape(program, other) == sizes
    return (user, other) if fits and isinstance(other, fx.Node) else None
