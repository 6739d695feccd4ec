"""What a task's `forward` calls its inputs and asks of them, by its text. Pure.

NOT covered: what the inputs are (looks.py).
"""

from __future__ import annotations

import ast
import contextlib
import functools
import itertools
import keyword
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from cuda_l1 import syntax
from cuda_l1.inputs import held
from cuda_l1.inputs.held import Own, called, called_so

_BLANKS = re.compile("ctc|blank", re.IGNORECASE)
"""There a number that integers are compared with is no padding, unless they are lengths."""
LENGTHS = re.compile(r"len(s|gths?)?(_|$)")
"""What is called so says up to where, or how many, and whatever least is drawn, there may be less."""
_LIBRARIES = ("torch", "F", "nn", "math")
_MAKES = ("get_inputs", "get_init_inputs")
_PERIOD = re.compile("base|theta|period|freq", re.IGNORECASE)
_SIZES = ("shape", "ndim", "size", "dim", "numel", "stride")
_ARE_ZERO = ("bool", "sign", "nonzero", "count_nonzero")
_NUMBERS = ("int", "float", "bool")
_MADE = re.compile("range|arange|islice|linspace|eye|(new_)?(zeros|ones|empty|full)")
_CUT = re.compile(
    "topk|kthvalue|narrow|split|chunk|tensor_split|repeat|repeat_interleave|pad|interpolate|unfold|one_hot|"
    "view|reshape|expand|unflatten"
)
"""What makes so many of something, by all that it is given, and what does so of its first argument."""
_PLACES_OF, _LISTS = (ast.Name, ast.Subscript), (ast.Tuple, ast.List)
_METHODS: dict[str, type[ast.cmpop]] = {
    "eq": ast.Eq, "ne": ast.NotEq, "gt": ast.Gt, "le": ast.LtE, "ge": ast.GtE, "lt": ast.Lt,
}  # fmt: skip
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Gt: ast.Lt, ast.Lt: ast.Gt, ast.GtE: ast.LtE, ast.LtE: ast.GtE}
"""What is said of the right side of a comparison."""


def names_of(source: str, count: int) -> list[str]:
    """What `Model.forward` calls its inputs; empty where its text does not say."""
    forward = _method(source, "forward")
    named = [arg.arg for arg in (*forward.args.posonlyargs, *forward.args.args)][1:] if forward else []
    return [*named, *[""] * count][:count]


def by_name(source: str, given: Any, count: int) -> str:
    """The text as if `forward` were given each of so many inputs by a name of its own; `given`: how they are put
    together, None where they are not."""
    return spread(source, count) if given is None else apart(source, given)


def apart(source: str, given: Any) -> str:
    """The text as if `forward` were given what lies within its arguments by itself, by how these are put together (see
    `values.apart`): `batch["labels"]` is an input called `labels`, and so is what `x, labels = batch` calls so."""
    tree = syntax.read(source)
    forward = _method_of(tree, "forward")
    if forward is None:
        return source
    named = given["dict"] if isinstance(given, dict) else zip(names_of(source, len(given)), given, strict=True)
    _OneByOne().visit(forward)
    said, taken_out = dict[str, str](), _taken_out(forward)
    for path, name in (each for key, value in named for each in _within(value, key, key or "given")):
        said[path] = _unlike(said.values(), taken_out.get(path, name))
    _Named(said).visit(forward)
    forward.args = ast.arguments([], [ast.arg("self"), *map(ast.arg, said.values())], None, [], [], None, [])
    return ast.unparse(ast.fix_missing_locations(tree))


def spread(source: str, count: int) -> str:
    """The text as if `forward` were given each of so many inputs by a name of its own, where it takes some as `*batch`
    and takes these apart."""
    tree = syntax.read(source)
    forward = _method_of(tree, "forward")
    if forward is None or forward.args.vararg is None:
        return source
    named = len([*forward.args.posonlyargs, *forward.args.args]) - 1
    forward.args.args.append(forward.args.vararg)
    forward.args.vararg = None
    each = {"tensor": 0}
    return apart(ast.unparse(tree), [*[each] * named, [each] * max(count - named, 0)])


def _within(given: Any, path: str, name: str) -> Iterator[tuple[str, str]]:
    """How a text names each tensor in it, and what that is called."""
    kind, items = next(iter(given.items())) if isinstance(given, dict) else ("list", given)
    if kind == "tensor":
        yield path, name
    elif kind == "dict":
        for key, item in items:
            yield from _within(item, f"{path}[{key!r}]", key if _may_be_name(key) else f"{name}_{key}")
    elif isinstance(items, list):
        for number, item in enumerate(items):
            yield from _within(item, f"{path}[{number}]", f"{name}_{number}" if number else name)


def _taken_out(forward: ast.FunctionDef) -> dict[str, str]:
    """By how a text names an item of a list what it calls that where it takes it out."""
    assigned = (node for node in ast.walk(forward) if isinstance(node, ast.Assign) and len(node.targets) == 1)
    pairs = ((node.value, node.targets[0]) for node in assigned)
    return {
        ast.unparse(value): target.id
        for value, target in pairs
        if isinstance(value, ast.Subscript) and is_number(value.slice) and isinstance(target, ast.Name)
    }


def _may_be_name(key: Any) -> bool:
    return isinstance(key, str) and key.isidentifier() and not keyword.iskeyword(key)


def _unlike(others: Collection[str], name: str) -> str:
    """It, or what is like it and a name in Python, and none of the others."""
    name = name if _may_be_name(name) else "of_" + re.sub(r"\W", "_", name)
    while name in others:
        name += "_"
    return name


class _OneByOne(ast.NodeTransformer):
    """Takes one after the other out of a list what `x, labels = batch` takes out at once."""

    def visit_Assign(self, node: ast.Assign) -> list[ast.Assign]:
        target = node.targets[0]
        if len(node.targets) > 1 or not isinstance(target, _LISTS) or not isinstance(node.value, _PLACES_OF):
            return [node]
        if any(isinstance(each, ast.Starred) for each in target.elts):
            return [node]
        items = enumerate(target.elts)
        each = [ast.Assign([one], ast.Subscript(node.value, ast.Constant(number))) for number, one in items]
        return [made for one in each for made in self.visit_Assign(one)]


class _Named(ast.NodeTransformer):
    """Puts names in the place of parts of inputs."""

    def __init__(self, said: Mapping[str, str]) -> None:
        self.said = said

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        name = self.said.get(ast.unparse(node))
        self.generic_visit(node)
        return ast.Name(name) if name else node


@functools.lru_cache(maxsize=8)
def of_module(source: str) -> str:
    """The text without what draws inputs, which says nothing of what is made of them."""
    lines = source.split("\n")
    with contextlib.suppress(SyntaxError):
        for node in syntax.read(source).body:
            if isinstance(node, ast.FunctionDef) and node.name in _MAKES:
                first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                last = node.end_lineno or node.lineno
                lines[first - 1 : last] = [""] * (last - first + 1)
    return "\n".join(lines)


def stands_for_infinity(source: str) -> bool:
    """Whether a number of a task's code may: `-1e9` for what a mask hides. Not what inputs and modules are made with,
    nor a wave's longest period (`10000 ** power`, `log(10000)`, `base=10000`), nor a whole number that has a name, nor
    what is divided by (`/ 1e6`), nor a limit (`clamp(max=1e4)`)."""
    with contextlib.suppress(SyntaxError):
        nodes = list(ast.walk(syntax.read(of_module(source))))
        sizes = {id(each) for node in nodes for each in _that_are_sizes(node)}
        return any(isinstance(node, ast.Constant) and _is_large(node.value) and id(node) not in sizes for node in nodes)
    return True


def _that_are_sizes(node: ast.AST) -> Iterator[ast.AST]:
    """What stands in an expression as a period, as a limit, or as how many there are."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Pow, ast.Div)):
        yield node.left if isinstance(node.op, ast.Pow) else node.right
    elif isinstance(node, ast.Call) and called(node) in ("log", "pow"):
        yield from node.args[:1]
    elif isinstance(node, ast.Call) and called(node).startswith(("clamp", "clip")):
        yield from (getattr(each, "operand", each) for each in (*node.args, *(word.value for word in node.keywords)))
    elif isinstance(node, ast.Call) and called(node)[:1].isupper():
        yield from filter(_is_whole, node.args)
    elif isinstance(node, ast.keyword) and _PERIOD.search(node.arg or ""):
        yield node.value
    elif isinstance(node, ast.arguments):
        named = zip(reversed([*node.posonlyargs, *node.args]), reversed(node.defaults), strict=False)
        yield from (value for arg, value in named if _PERIOD.search(arg.arg) or _is_whole(value))
    elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if _is_whole(node.value) or all(_PERIOD.search(ast.unparse(each)) for each in targets):
            yield node.value


def is_number(node: ast.AST) -> bool:
    node = node.operand if isinstance(node, ast.UnaryOp) else node
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "float":  # of "inf"
        return all(isinstance(each, ast.Constant) for each in node.args)
    return isinstance(node, ast.Constant)


def _is_whole(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _is_large(value: object) -> bool:
    """A power of ten, from ten thousand on."""
    if not isinstance(value, (int, float)) or not 1e4 <= value < math.inf:
        return False
    return value == float(f"1e{round(math.log10(value))}")


def numbers(source: str, init: Sequence[object] = ()) -> dict[str, set[float]]:
    """By the name of an input the numbers that it is asked for: compared with, or named `ignore_index` or `padding_idx`
    beside it. Of an order (`> 0`) what is just not so. `init` is what the module is made with."""
    if (forward := _method(source, "forward")) is None:
        return {}
    own = own_numbers(source, init)
    of = {arg.arg: arg.arg for arg in forward.args.args}
    asked: dict[str, set[float]] = {}
    for target, given in called_so(forward):
        if isinstance(target, ast.Name):
            of.setdefault(target.id, of.get(_root(given), ""))
    for node in ast.walk(forward):
        for value, number in _asked(node, own):
            if (name := of.get(_root(value), "")) and number is not None:
                asked.setdefault(name, set()).add(number)
    for name, number in itertools.product(_given(forward, of), _of_parts(source, forward, own)):
        asked.setdefault(name, set()).add(number)
    return {name: some for name, some in asked.items() if not _BLANKS.search(source) or LENGTHS.search(name)}


@functools.lru_cache(maxsize=8)
def limits_of_places(source: str) -> frozenset[str]:
    """Inputs that `forward` compares places with: `torch.arange(n) < sizes[:, None]`, by whatever name of either."""
    if (forward := _method(source, "forward")) is None:
        return frozenset()
    inputs, places = {arg.arg for arg in forward.args.args}, _held_places(source)
    for target, given in called_so(forward):
        if isinstance(target, ast.Name) and _has_places(given, places):
            places.add(target.id)
    compared = (node for node in ast.walk(forward) if isinstance(node, ast.Compare) and type(node.ops[0]) in _TURNED)
    pairs = (pair for node in compared for pair in itertools.permutations((node.left, node.comparators[0])))
    return frozenset(_root(other) for one, other in pairs if _has_places(one, places)) & inputs


@functools.lru_cache(maxsize=8)
def say_how_many(source: str) -> frozenset[str]:
    """Inputs that the bound of a slice, a size, or how often `forward` repeats something may hang on."""
    if (forward := _method(source, "forward")) is None:
        return frozenset()
    of, found = _with_how_many(forward)
    functions = (each for each in ast.walk(syntax.read(source)) if isinstance(each, ast.FunctionDef))
    for part in functions:  # and what it gives to those in which that says so
        if part.lineno != forward.lineno and part.name not in (*_MAKES, "__init__"):
            names, many = _with_how_many(part)
            for call in ast.walk(forward) if many else ():
                if isinstance(call, ast.Call) and part.name in ("forward", called(call)):
                    given = [*zip(names, call.args, strict=False), *((w.arg, w.value) for w in call.keywords)]
                    found |= frozenset().union(*(_mentioned(value, of) for name, value in given if name in many))
    return found


def _with_how_many(function: ast.FunctionDef) -> tuple[dict[str, frozenset[str]], frozenset[str]]:
    """Which of its arguments are in what it calls so, these first; and which of them say how many of something."""
    of = {arg.arg: frozenset([arg.arg]) for arg in function.args.args if arg.arg != "self"}
    for target, given in [*called_so(function)] * 2:
        for each in ast.walk(target):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                of[each.id] = of.get(each.id, frozenset()) | _mentioned(given, of)
    those = (_mentioned(each, of) for node in ast.walk(function) for each in _how_many(node))
    return of, frozenset().union(*those)


def _how_many(node: ast.AST) -> list[ast.expr]:
    """What in one expression says how many, or how often."""
    if isinstance(node, ast.Slice):
        return [each for each in (node.lower, node.upper, node.step) if each is not None]
    if isinstance(node, ast.While):
        return [node.test]
    is_made = isinstance(node, ast.Call) and bool(_MADE.fullmatch(called(node)))
    if not isinstance(node, ast.Call) or not (is_made or _CUT.fullmatch(called(node))):
        return []
    is_beside = not is_made and _root(node.func) in _LIBRARIES  # `torch.topk(x, k)`, `x.topk(k)`
    return [*node.args[is_beside:], *(word.value for word in node.keywords)]


def _mentioned(node: ast.AST, of: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Inputs that an expression takes anything from, but for their sizes."""
    if isinstance(node, ast.Name):
        return of.get(node.id, frozenset())
    if isinstance(node, ast.Attribute) and node.attr in _SIZES:
        return frozenset()
    return frozenset().union(*(_mentioned(each, of) for each in ast.iter_child_nodes(node)))


def _held_places(source: str) -> set[str]:
    """The module's own: `self.steps = torch.arange(n)`, or a buffer of them."""
    made = list(ast.walk(_method(source, "__init__") or ast.Module([], [])))
    found = {ast.unparse(of) for node in made for of, given in called_so(node) if _has_places(given, ())}
    names = (name for name, given in held.buffers_of(made[0]) if _has_places(given, ()))
    return found | {f"self.{ast.unparse(name)[1:-1]}" for name in names}


def _has_places(node: ast.AST, places: Collection[str]) -> bool:
    return _root(node) in places or any(
        (isinstance(each, ast.Call) and called(each) == "arange")
        or (isinstance(each, ast.Attribute) and ast.unparse(each) in places)
        for each in ast.walk(node)
    )


def _given(forward: ast.FunctionDef, of: Mapping[str, str]) -> set[str]:
    """Inputs that `forward` gives to parts of its own, or to functions beside it."""
    calls = (node for node in ast.walk(forward) if isinstance(node, ast.Call) and _root(node.func) not in _LIBRARIES)
    given = (each for call in calls for each in (*call.args, *(word.value for word in call.keywords)))
    return {of[each.id] for each in given if isinstance(each, ast.Name) and of.get(each.id)}


def _of_parts(source: str, forward: ast.FunctionDef, own: Own) -> set[float]:
    """What parts of the module, or functions beside it, ask what they are given for, or are made to leave out."""
    found: set[float] = set()
    for each in ast.walk(syntax.read(source)):
        if isinstance(each, ast.Call) and called(each)[:1].isupper():
            found.update(_left_out(each, own))
        if isinstance(each, ast.FunctionDef) and ast.dump(each) != ast.dump(forward) and each.name not in _MAKES:
            names = {arg.arg for arg in (*each.args.posonlyargs, *each.args.args)}
            asked = (pair for node in ast.walk(each) for pair in _asked(node, own))
            found |= {number for value, number in asked if number is not None and _root(value) in names - {"self"}}
    return found


def _method(source: str, name: str) -> ast.FunctionDef | None:
    with contextlib.suppress(SyntaxError):
        return _method_of(syntax.read(source), name)
    return None


def _method_of(tree: ast.Module, name: str) -> ast.FunctionDef | None:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == "Model":
            for each in node.body:
                if isinstance(each, ast.FunctionDef) and each.name == name:
                    return each
    return None


def own_numbers(source: str, init: Sequence[object]) -> Own:
    """What has a name of its own, beside the module or in it, and is no input."""
    tree, forward = syntax.read(of_module(source)), _method(source, "forward")
    own = held.own_numbers(_method(source, "__init__"), tree, init)
    inputs = {arg.arg for arg in forward.args.args} if forward else ()
    return {name: numbers for name, numbers in own.items() if name not in inputs}


def _root(node: ast.AST) -> str:
    """The name whose part, or method, an expression is, or what that is as one of Python's numbers; of no sizes."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        if isinstance(node, ast.Attribute) and node.attr in _SIZES:
            return ""
        taken = getattr(node, "args", []) if getattr(getattr(node, "func", None), "id", "") in _NUMBERS else []
        node = taken[0] if taken else node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _asked(node: ast.AST, own: Own) -> Iterator[tuple[ast.AST, float | None]]:
    """What one expression asks for, and of what."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        op, other = type(node.ops[0]), node.comparators[0]
        yield from ((node.left, number) for number in _told_by(op, other, own))
        yield from ((other, number) for number in _told_by(_TURNED.get(op, op), node.left, own))
    if not isinstance(node, ast.Call):
        return
    called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if called in _METHODS and node.args:
        of = node.args[0] if _root(node.func) in _LIBRARIES else node.func  # `torch.ne(tokens, 0)`, `tokens.ne(0)`
        yield from ((of, number) for number in _told_by(_METHODS[called], node.args[-1], own))
    if called in _ARE_ZERO:
        yield from ((value, 0) for value in (node.func, *node.args))
    if called == "isin":
        yield from ((node.args[0], number) for other in node.args[1:] for number in held.numbers_of(other, own))
    yield from itertools.product(node.args, _left_out(node, own))


def _left_out(call: ast.Call, own: Own) -> list[float]:
    """What it is told to: `ignore_index`, `padding_idx`."""
    words = [word.value for word in call.keywords if word.arg in ("ignore_index", "padding_idx")]
    return [number for word in words for number in held.numbers_of(word, own)]


def _told_by(op: type[ast.cmpop], node: ast.expr, own: Own) -> Iterator[float]:
    """The number itself, or the last below it; and of `letters < 4` and `ages > 65` those on the other side too."""
    is_equal = op in (ast.Eq, ast.NotEq, ast.In, ast.NotIn)
    for number in held.numbers_of(node, own) if is_equal or op in _METHODS.values() else ():
        lower = number if is_equal or op in (ast.Gt, ast.LtE) else number - 1
        yield lower
        if not is_equal and number >= 1:
            yield lower + 1
