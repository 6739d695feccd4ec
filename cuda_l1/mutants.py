"""Mutants of a task: its own text, changed in one place after another so that it does less (mutation testing, DeMillo,
Lipton, Sayward 1978). Who judges well tells each from the task, but for those that give the same whatever comes.

Text goes in, candidates' texts come out; whoever judges them is not known here. A limit, a mask, a guard, a term or a
layer is gone, a loop runs a little shorter, a sum leaves out an eighth, a value is kept from the first call, the first
row of an input stands for all.
Not covered: what the module does not lead to by name, what a constructor builds, numbers that steer and are no guards,
what is refused or said to people, what ends a `while`, which could go on for ever, and two changes at once.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import chain
from typing import NamedTuple

from cuda_l1.tasks.text import Edit, edit, names, parse, replacing

_LEFT_OUT = {
    "abs", "bfloat16", "ceil", "clamp", "clamp_max", "clamp_min", "clip", "dropout", "exp", "expm1", "fill_",
    "flip", "floor", "fmod", "half", "layer_norm", "log", "log1p", "masked_fill", "maximum", "minimum", "nan_to_num",
    "normalize", "pow", "relu", "remainder", "rms_norm", "roll", "round", "rsqrt", "sigmoid", "sign", "softplus",
    "sort", "sqrt", "square", "tanh", "tril", "triu", "trunc",
}  # fmt: skip
"""Calls whose first argument may stand in their place; with an underscore behind them too."""
_OTHERS = {"fmax", "fmin", "maximum", "minimum", "where"}
"""Calls in whose place any of the last two arguments may stand."""
_LIMITED = {"clamp", "clip"}
_REDUCED = {
    "all", "amax", "amin", "any", "argmax", "argmin", "logsumexp", "max", "mean", "median", "min", "norm", "prod",
    "std", "sum", "var",
}  # fmt: skip
_PRODUCTS = {"bmm", "matmul", "mm"}
_KNOWN = _LEFT_OUT | _OTHERS | _LIMITED | _REDUCED | _PRODUCTS
_MADE = {"arange", "device", "dim", "dtype", "empty", "empty_like", "eye", "full", "full_like", "len", "linspace",
         "new_empty", "new_full", "new_ones", "new_zeros", "ndim", "numel", "ones", "ones_like", "range", "shape",
         "size", "zeros", "zeros_like"}  # fmt: skip
"""What hangs on no number of an input."""
_GUARD = 1e-2
"""A number below it is added to what is divided by, or kept away from."""
_ONE_SIDED = (ast.Sub, ast.Div, ast.Pow, ast.Mod, ast.FloorDiv, ast.LShift, ast.RShift)
_TWO_SIDED = (ast.Add, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor)
_WHOLE = {"never": "_mutant_none", "always": "_mutant_all"}
_STEERED = {"always": "True", "never": "False"}
_FROM_FIRST, _BUT_AN_EIGHTH = "what it was in the first call", "without the last eighth"
_BUT_ONE, _FOR_ALL = "without the last", "the first of its rows for all"
_STAYS = {"inplace", "keepdim", "requires_grad"}
"""Switches that say nothing of numbers."""
_NUMBERS = {"bool", "float", "int", "str"}
_MADE_BY = ("__init__", "get_inputs", "get_init_inputs")
_RUN = ("forward", "get_extra_state", "set_extra_state", "get_init_inputs")
_DEFINED = (ast.ClassDef, ast.FunctionDef)
_Bound = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For
"""What gives names a value."""

_BEHIND = '''

import torch as _mutant_torch


def _mutant_less(x, dim=None):
    """All but the last eighth, or one where there are fewer than eight: along that dimension, or the longest."""
    if isinstance(x, range):
        return x[: len(x) - max(len(x) // 8, 1)]
    if not isinstance(x, _mutant_torch.Tensor) or x.dim() == 0:
        return x
    dim = max(range(x.dim()), key=x.shape.__getitem__) if dim is None else dim
    dim = dim[-1] if isinstance(dim, (tuple, list)) else dim
    return x.narrow(dim, 0, x.shape[dim] - max(x.shape[dim] // 8, 1)) if x.shape[dim] > 1 else x


def _mutant_but_one(x):
    """All but the last of what a loop goes through."""
    return (x if isinstance(x, _mutant_torch.Tensor) else list(x))[:-1]


def _mutant_for_all(x):
    """Its first row in each row's place."""
    if isinstance(x, (tuple, list)):
        return [_mutant_for_all(each) for each in x]
    return x[:1].expand(x.shape).clone() if isinstance(x, _mutant_torch.Tensor) and x.dim() else x


def _mutant_product(a, b):
    """Of less."""
    return _mutant_less(a, -1) @ _mutant_less(b, -2 if b.dim() > 1 else -1)


def _mutant_none(condition):
    return _mutant_torch.zeros_like(condition) if isinstance(condition, _mutant_torch.Tensor) else False


def _mutant_all(condition):
    return _mutant_torch.ones_like(condition) if isinstance(condition, _mutant_torch.Tensor) else True


_mutant_kept = {}


def _mutant_first(place, value):
    """What it was in the first call. A copy of it: later inputs may come to lie in the same memory."""
    if place not in _mutant_kept:
        _mutant_kept[place] = value.clone() if isinstance(value, _mutant_torch.Tensor) else value
    return _mutant_kept[place]


class ModelNew(Model):
    """The task's own module, with one change."""
'''


class Mutant(NamedTuple):
    """One change of a task's text."""

    line: int
    """Of the task's source, from 1."""
    was: str
    """What stood there, in one line."""
    now: str
    """What stands there instead, as text or in words."""
    code: str
    """A candidate's: all of the text, with `ModelNew`."""


class _Change(NamedTuple):
    place: ast.expr | ast.stmt
    new: str
    now: str = ""


def mutants(source: str) -> list[Mutant]:
    """All mutants of a task's source, in the order of its lines, each text once. TaskError if it is not Python."""
    found: dict[str, Mutant] = {}
    tree = parse(source, "the task")
    libraries = {name for name, kind in names(tree).kinds.items() if kind not in ("class", "function", "value")}
    off = set(_off(tree))
    for function in _functions(tree):
        data, looped, stays = _data(function), set(_looped(function)), off.union(_stays(function))
        made = [
            (replacing(place, new if isinstance(place, ast.stmt) else f"({new})"), place, now or new)
            for node in chain.from_iterable(map(ast.walk, function.body))
            for place, new, now in _changes(node, source, data if node not in looped else set(), libraries)
            if place not in stays
        ]
        for change, place, now in (*made, *_of_arguments(function, source)):
            code = edit(source, [change]) + _BEHIND
            was = ast.get_source_segment(source, place) or ""
            found.setdefault(code, Mutant(place.lineno, _one_line(was), _one_line(now), code))
    return sorted(found.values(), key=lambda mutant: mutant.line)


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """What may run in a call: methods but constructors, and functions beside them, that `Model` leads to by name. In a
    project's file others are of other modules, or make weights, and nobody would tell a change there."""
    said = {"Model", *_RUN}
    while (more := said.union(*(_said(node, said) for node in tree.body))) != said:
        said = more
    for node in (each for each in tree.body if isinstance(each, _DEFINED) and each.name in said):
        for each in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(each, ast.FunctionDef) and each.name not in _MADE_BY and _may_run(each, said):
                yield each


def _said(node: ast.stmt, said: set[str]) -> set[str]:
    """What a statement at the top level names, if what it defines is named; of a constructor not the methods that it
    calls, as those that draw weights."""
    if isinstance(node, ast.ClassDef):
        parts = [each for each in node.body if node.name in said and _may_run(each, said)]
        its = [*node.bases, *node.decorator_list] if node.name in said else []
        return set().union(*map(_mentioned, (*its, *parts)))
    bound = {node.name} if isinstance(node, ast.FunctionDef) else _names(node)
    return _mentioned(node) if bound & said else set()


def _may_run(node: ast.stmt, said: set[str]) -> bool:
    return not isinstance(node, ast.FunctionDef) or node.name in said or node.name.startswith("__")


def _mentioned(node: ast.AST) -> set[str]:
    its = list(ast.walk(node))
    calls = [each.func for each in its if isinstance(each, ast.Call)] if getattr(node, "name", "") == "__init__" else []
    own = {id(each) for each in calls if isinstance(each, ast.Attribute) and _root(each) == "self"}
    return {each.attr for each in its if isinstance(each, ast.Attribute) and id(each) not in own} | _names(node)


def _of_arguments(function: ast.FunctionDef, source: str) -> Iterator[tuple[Edit, ast.arg, str]]:
    """A statement before all others gives an argument another value; numbers have no rows."""
    before = function.body[0]
    line = min([before.lineno, *(each.lineno for each in getattr(before, "decorator_list", []))])
    margin = source.split("\n")[line - 1].encode()[: before.col_offset].decode()
    behind = f"\n{margin}" if margin.isspace() else "; "
    numbers = _that_are_numbers(function.args)
    for argument in _arguments(function):
        changes = {_FROM_FIRST: _first(argument, argument.arg), _FOR_ALL: f"_mutant_for_all({argument.arg})"}
        if (isinstance(argument.annotation, ast.Name) and argument.annotation.id in _NUMBERS) or argument in numbers:
            del changes[_FOR_ALL]
        for now, new in changes.items():
            statement = f"{argument.arg} = {new}{behind}"
            yield Edit(line, before.col_offset, line, before.col_offset, statement), argument, now


def _arguments(function: ast.FunctionDef) -> list[ast.arg]:
    of = function.args
    every = [*of.posonlyargs, *of.args, *([of.vararg] if of.vararg else []), *of.kwonlyargs]
    return [each for each in every if each.arg not in ("self", "cls")]


def _that_are_numbers(of: ast.arguments) -> list[ast.arg]:
    """Arguments that are numbers, or words, where a call does not name them."""
    in_order = zip(reversed([*of.posonlyargs, *of.args]), reversed(of.defaults), strict=False)
    pairs = [*in_order, *zip(of.kwonlyargs, of.kw_defaults, strict=True)]
    return [each for each, default in pairs if default is not None and _is_number(default) and not _is_none(default)]


def _first(node: ast.expr | ast.stmt | ast.arg, text: str) -> str:
    """The value of the first call that came to it."""
    return f"_mutant_first(({node.lineno}, {node.col_offset}), {text})"


def _data(function: ast.FunctionDef) -> set[str]:
    """Names that hold numbers of an input, or what came of some."""
    known = {each.arg for each in _arguments(function)}
    for _ in range(2):  # a loop hands on what is assigned further down
        for node in ast.walk(function):
            if isinstance(node, _Bound) and (given := _given(node)) is not None and _holds(given, known):
                known |= _bound(node)
    return known


def _looped(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """What comes more than once in a call, and cannot be kept from the first."""
    for loop in ast.walk(function):
        if isinstance(loop, ast.For | ast.While):
            yield from ast.walk(loop)


def _stays(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """What is not changed: what is refused, words to people, and what ends a `while`."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert | ast.JoinedStr | ast.Raise):
            yield from ast.walk(node)
        if isinstance(node, ast.If) and isinstance(node.body[0], ast.Raise):
            yield from ast.walk(node.test)
        if isinstance(node, ast.match_case):
            yield from ast.walk(node.pattern)
        if isinstance(node, ast.While):
            yield from ast.walk(node.test)
            awaited = _names(node.test)
            for each in ast.walk(node):
                if isinstance(each, ast.If) and any(isinstance(one, ast.Break) for one in ast.walk(each)):
                    yield from ast.walk(each.test)
                elif isinstance(each, _Bound) and awaited & _bound(each):
                    yield from ast.walk(each)


def _off(tree: ast.Module) -> Iterator[ast.AST]:
    """Calls of layers that do nothing in eval mode; in train mode nobody could tell what they leave out."""
    made = [
        node for node in ast.walk(tree) if isinstance(node, ast.Assign) and _called(node.value).startswith("Dropout")
    ]
    layers = {target.attr for node in made for target in node.targets if isinstance(target, ast.Attribute)}
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.Call) and _called(node) in layers)


def _given(node: _Bound) -> ast.expr | None:
    return node.iter if isinstance(node, ast.For) else node.value


def _bound(node: _Bound) -> set[str]:
    return {name for target in _targets(node) for name in _names(target)}


def _targets(node: _Bound) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _holds(node: ast.AST, data: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in data
    if _called(node) in _MADE or (isinstance(node, ast.Attribute) and node.attr in _MADE):
        return False
    return any(_holds(each, data) for each in ast.iter_child_nodes(node))


def _called(node: ast.AST) -> str:
    func = node.func if isinstance(node, ast.Call) else None
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def _changes(node: ast.AST, source: str, data: set[str], libraries: set[str]) -> Iterator[_Change]:
    def text(of: ast.expr) -> str:
        return f"({ast.get_source_segment(source, of)})"

    if isinstance(node, ast.Call):
        yield from _of_call(node, libraries, text)
    elif isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.MatMult):
            yield _Change(node, f"_mutant_product({text(node.left)}, {text(node.right)})", _BUT_AN_EIGHTH)
        if isinstance(node.op, (*_ONE_SIDED, *_TWO_SIDED)):
            yield from _in_its_place(node, [node.left], text)
        if isinstance(node.op, _TWO_SIDED):
            yield from _in_its_place(node, [node.right], text)
    elif isinstance(node, ast.Compare):
        yield from (_Change(node, f"{_WHOLE[now]}{text(node)}", now) for now in _taken_for(node))
    elif isinstance(node, ast.If | ast.IfExp):
        taken_for = _taken_for(node.test)
        yield from (_Change(node.test, new) for now, new in _STEERED.items() if now not in taken_for)
    elif isinstance(node, ast.For) and _called(node.iter) != "range":
        yield _Change(node.iter, f"_mutant_but_one{text(node.iter)}", _BUT_ONE)
    elif isinstance(node, ast.Constant) and type(node.value) is float and 0 < abs(node.value) < _GUARD:
        yield _Change(node, "0.0")
    elif isinstance(node, ast.stmt) and _is_in_place(node):
        yield _Change(node, "pass", "nothing")
    elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and _holds(node.value, data):
        yield _Change(node.value, _first(node, text(node.value)), _FROM_FIRST)


def _taken_for(node: ast.expr) -> list[str]:
    """What a comparison may be taken for."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return []
    return {ast.Eq: ["never"], ast.NotEq: ["always"]}.get(type(node.ops[0]), list(_WHOLE))


def _in_its_place(node: ast.expr, parts: list[ast.expr], text: Callable[[ast.expr], str]) -> Iterator[_Change]:
    """One of its parts; a plain number has nothing that a tensor has."""
    yield from (_Change(node, text(each)) for each in parts if not _is_number(each))


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_number(node: ast.expr) -> bool:
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def _of_call(node: ast.Call, libraries: set[str], text: Callable[[ast.expr], str]) -> Iterator[_Change]:
    name, owner = _called(node), node.func.value if isinstance(node.func, ast.Attribute) else None
    if any(isinstance(each, ast.Starred) for each in node.args):
        return
    if owner is not None and _root(owner) == "self" and (isinstance(owner, ast.Name) or name.rstrip("_") not in _KNOWN):
        yield from _in_its_place(node, node.args[:1], text)
        return
    given = list(node.args) if owner is None or _root(owner) in libraries else [owner, *node.args]
    if not given:
        return
    named = {each.arg: each.value for each in node.keywords}
    if name.rstrip("_") in _LEFT_OUT:
        yield _Change(node, text(given[0]))
    if name in _OTHERS:
        yield from _in_its_place(node, given[1:], text)
    if name in ("max", "min") and owner is not None and len(given) == 2 and not _is_number(given[1]):
        yield from _in_its_place(node, given[:1], text)  # of two tensors, as a limit is set
    if name.rstrip("_") in _LIMITED and len(given) + len(named) == 3:
        yield from (_Change(each, "None") for each in (*given[1:], *named.values()))
    if name in _REDUCED and owner is not None:  # Python's own take lists, or numbers that steer
        place = 2 if name == "norm" else 1
        along = named.get("dim", named.get("axis", given[place] if len(given) > place else None))
        less = f"_mutant_less({text(given[0])}" + (f", {text(along)})" if along is not None else ")")
        yield _Change(given[0], less, _BUT_AN_EIGHTH)
    if name in _PRODUCTS and len(given) > 1:
        yield _Change(node, f"_mutant_product({text(given[0])}, {text(given[1])})", _BUT_AN_EIGHTH)
    if name == "range":
        whole = text(node)
        yield _Change(node, f"{whole}[:-1]", "without the last step")
        yield _Change(node, f"_mutant_less{whole}", _BUT_AN_EIGHTH)
    for keyword, each in named.items():
        if keyword not in _STAYS and isinstance(each, ast.Constant) and type(each.value) is bool:
            yield _Change(each, str(not each.value))


def _is_in_place(node: ast.AST) -> bool:
    """A statement that changes what is there, and binds no name."""
    if isinstance(node, ast.Expr):
        name = _called(node.value)
        return name.endswith("_") and not name.startswith("_") and name.rstrip("_") not in _LEFT_OUT
    return isinstance(node, ast.AugAssign) or (
        isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)
    )


def _root(owner: ast.expr) -> str:
    """The name that `torch.nn.functional` begins with."""
    while isinstance(owner, ast.Attribute):
        owner = owner.value
    return owner.id if isinstance(owner, ast.Name) else ""
