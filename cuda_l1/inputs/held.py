"""Numbers that a task's text has a name for, and what an expression of them is; and what a text calls so. Pure.

NOT covered: what inputs are asked for by them (asks.py).
"""

from __future__ import annotations

import ast
import contextlib
import itertools
import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from cuda_l1 import constructor

Own = Mapping[str, tuple[float, ...]]
"""By name what it stands for: one number, or some."""
_ASKS = re.compile("eq|ne|[lg][te]|remainder|fmod|floor_divide")
"""Methods by which a text asks what counts calls for a number."""
_MOST, _MOST_POWER = 16, 64
"""A list of more is a table."""
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv, ast.LShift: operator.lshift, ast.Pow: operator.pow,
}  # fmt: skip
_MADE_OF = ("tensor", "as_tensor", "new_tensor", "asarray", "array", "LongTensor", "IntTensor", "Buffer", "list",
            "tuple", "set", "frozenset", "sorted", "int", "float")  # fmt: skip
_AS_IT_IS = ("item", "tolist", "to", "cuda", "cpu", "long", "int", "float", "view", "reshape", "flatten", "unsqueeze",
             "expand", "clone", "detach", "contiguous", "type", "type_as")  # fmt: skip


def own_numbers(init: ast.FunctionDef | None, tree: ast.AST, given: Sequence[Any]) -> dict[str, tuple[float, ...]]:
    """What has a name of its own, beside the module or in it: `IGNORED = -100`, `self.last = words - 1` by what the
    module is made with (its `init`, and what that is `given`), `config["end"]`, and buffers of some."""
    known = _arguments(init, given)
    for target, node in [*called_so(tree), *buffers_of(tree)]:
        name = getattr(target, "attr", getattr(target, "id", getattr(target, "value", None)))
        if isinstance(name, str) and (found := numbers_of(node, known, is_pad=False)):
            known[name] = found
    return known


def buffers_of(tree: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    """What is registered as one, by name, with what it begins as."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and called(node) == "register_buffer")
    return [(each.args[0], each.args[1]) for each in calls if len(each.args) > 1]


def asked_of_own(tree: ast.AST, own: Own) -> dict[str, list[float]]:
    """By the name of what a module holds (`self.steps`) the numbers that its text compares that with, or divides it by,
    as it counts calls with it."""
    found: dict[str, set[float]] = {}
    for one, other in (pair for node in ast.walk(tree) for pair in _beside(node)):
        for each in ast.walk(one):
            if isinstance(each, ast.Attribute) and getattr(each.value, "id", "") == "self":
                found.setdefault(each.attr, set()).update(numbers_of(other, own, is_pad=False))
    return {name: sorted(numbers) for name, numbers in found.items() if numbers}


def _beside(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield from itertools.permutations((node.left, node.comparators[0]), 2)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.FloorDiv, ast.Mod)):
        yield node.left, node.right
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _ASKS.fullmatch(node.func.attr):
        yield from ((node.func.value, number) for number in node.args)  # `self.steps.ge(1000)`


def _arguments(init: ast.FunctionDef | None, given: Sequence[Any]) -> dict[str, tuple[float, ...]]:
    """A constructor's, by name, in order or by name (`constructor.made`); and what a dict of them has names for."""
    in_order, by_name = (given[0], given[1]) if constructor.may_be_both(given) else (given, {})
    known = dict[str, tuple[float, ...]]()
    for value in (*in_order, *by_name.values()):
        if isinstance(value, Mapping):
            known |= {str(name): its for name, one in value.items() if (its := _as_numbers(one))}
    if init is not None:
        names = [arg.arg for arg in (*init.args.posonlyargs, *init.args.args)][1:]
        defaults = zip(reversed(names), reversed(init.args.defaults), strict=False)
        known |= {name: its for name, node in defaults if (its := numbers_of(node, {}, is_pad=False))}
        said = {**dict(zip(names, in_order, strict=False)), **by_name}
        known |= {name: _as_numbers(value) for name, value in said.items()}
    return {name: its for name, its in known.items() if its}


def numbers_of(node: ast.AST, own: Own, *, is_pad: bool = True) -> tuple[float, ...]:
    """The number that an expression is, or some, if it is a list of them; none where nobody knows. What is called a
    padding is most often zero."""
    if isinstance(node, ast.Constant):
        return _as_numbers(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return tuple(-number for number in numbers_of(node.operand, own, is_pad=is_pad))
    if isinstance(node, ast.BinOp):
        return _combined(node, own)
    if isinstance(node, (ast.Attribute, ast.Name)):
        name = node.attr if isinstance(node, ast.Attribute) else node.id
        return own.get(name, (0,) if is_pad and "pad" in name.lower() else ())
    if isinstance(node, ast.Subscript):
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        return own.get(key, ()) if isinstance(key, str) else ()
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        found = [number for each in node.elts for number in numbers_of(each, own, is_pad=is_pad)]
        return tuple(found) if len(found) <= _MOST else ()
    if isinstance(node, ast.Call) and called(node) in _MADE_OF and node.args:
        return numbers_of(node.args[0], own, is_pad=is_pad)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _AS_IT_IS:
        return numbers_of(node.func.value, own, is_pad=is_pad)
    return ()


def _combined(node: ast.BinOp, own: Own) -> tuple[float, ...]:
    """Of two numbers one; no powers of what is large."""
    left, right = numbers_of(node.left, own, is_pad=False), numbers_of(node.right, own, is_pad=False)
    combine, is_power = _OPERATORS.get(type(node.op)), isinstance(node.op, (ast.Pow, ast.LShift))
    if combine is None or not len(left) == len(right) == 1 or (is_power and abs(right[0]) > _MOST_POWER):
        return ()
    with contextlib.suppress(ArithmeticError, TypeError, ValueError):
        made = combine(left[0], right[0])
        return (made,) if isinstance(made, (int, float)) and math.isfinite(made) else ()
    return ()


def _as_numbers(value: Any) -> tuple[float, ...]:
    if isinstance(value, (int, float)):
        return () if isinstance(value, bool) else (value,)
    if isinstance(value, (list, tuple, set, frozenset)) and len(value) <= _MOST:
        return tuple(number for each in value for number in _as_numbers(each))
    return ()


def called_so(tree: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What is assigned to what, and what goes through what: `for part, labels in zip(x.split(8), y.split(8))`."""
    for node in ast.walk(tree):
        pairs = [(each, node.value) for each in node.targets] if isinstance(node, ast.Assign) else []
        pairs += [(node.target, node.iter)] if isinstance(node, (ast.For, ast.comprehension)) else []
        yield from (each for pair in pairs for each in one_by_one(*pair))


def one_by_one(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    function = getattr(getattr(value, "func", None), "id", "")
    names = getattr(target, "elts", [])[function == "enumerate" :]
    items = getattr(value, "args" if function in ("zip", "enumerate") else "elts", [])
    if not names or len(names) != len(items):
        return [(target, value)]
    return [each for pair in zip(names, items, strict=True) for each in one_by_one(*pair)]


def called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
