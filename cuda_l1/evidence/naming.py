"""What the names of a candidate's text stand for, where the text alone says so: modules and classes that are imported,
under names of its own too, and words that it spells out.

NOT covered: what is handed on, to functions, in containers or on attributes, and comes back under another name.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import NamedTuple

_GOING_THROUGH = {"enumerate", "zip"}
"""What gives the words of a text as they are, while these names are Python's own."""


_SETTINGS = "torch._inductor.config.", "torch._dynamo.config."
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Unloaded(NamedTuple):
    """A part of a library that this process has not loaded."""

    name: str


def held(tree: ast.AST) -> dict[str, object]:
    """What names stand for that are imported, or given what is (`aten = torch.ops.aten`), as far as this process has
    it."""
    found: dict[str, object] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.name if alias.asname else alias.name.partition(".")[0]
                found[alias.asname or name] = sys.modules.get(name) or Unloaded(name)
        elif isinstance(node, ast.ImportFrom) and node.module:
            module = sys.modules.get(node.module)
            for alias in node.names:
                part = vars(module).get(alias.name) if module else Unloaded(f"{node.module}.{alias.name}")
                found[alias.asname or alias.name] = part
    for node in sorted(other_names(tree), key=lambda node: node.lineno):
        stands_for = leads_to(node.value, found)
        if isinstance(stands_for, ModuleType | Unloaded | type):
            found.setdefault(node.targets[0].id, stands_for)  # type: ignore[attr-defined]
    return found


def leads_to(node: ast.AST, held: dict[str, object]) -> object:
    """What a name, or attributes of one, stand for: None where nobody knows."""
    here, names = _begun(node, held)
    for name in names:
        if isinstance(here, Unloaded):
            here = Unloaded(f"{here.name}.{name}")
        elif isinstance(here, ModuleType):
            here = vars(here)[name] if name in vars(here) else Unloaded(f"{here.__name__}.{name}")
        else:
            return None
    return here


def in_full(node: ast.AST, held: dict[str, object]) -> str:
    """`torch.backends.cudnn.enabled` of `cudnn.enabled`: a chain of attributes, begun as its module is called;
    begins with a dot where nobody knows that."""
    here, names = _begun(node, held)
    whole = here.__name__ if isinstance(here, ModuleType) else here.name if isinstance(here, Unloaded) else ""
    return ".".join([whole, *names])


def _begun(node: ast.AST, held: dict[str, object]) -> tuple[object, list[str]]:
    """What a chain of attributes begins with, and the names that follow."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    return held.get(node.id) if isinstance(node, ast.Name) else None, names


def is_setting(node: ast.Assign | ast.AugAssign | ast.AnnAssign, held: dict[str, object]) -> bool:
    """Whether it gives a number, or a flag, to torch.compile: `torch._inductor.config.max_autotune = True`."""
    value = node.value.value if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) else None
    targets = node.targets if isinstance(node, ast.Assign) else []
    return isinstance(value, bool | int) and all(in_full(each, held).startswith(_SETTINGS) for each in targets)


def other_names(tree: ast.AST) -> list[ast.Assign]:
    """Where a name is given a name, or an attribute of one, and nothing else anywhere; not in a class, whose names are
    attributes too."""
    nodes = list(ast.walk(tree))
    once = _once(nodes)
    within = {id(inner) for node in nodes if isinstance(node, ast.ClassDef) for inner in _in_class(node)}
    return [
        node for node in nodes
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Name | ast.Attribute) and node.targets[0].id in once and id(node) not in within
    ]  # fmt: skip


def _in_class(node: ast.ClassDef) -> Iterator[ast.AST]:
    """What stands in a class, but not in its methods."""
    todo: list[ast.AST] = list(node.body)
    while todo:
        inner = todo.pop()
        yield inner
        if not isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            todo += ast.iter_child_nodes(inner)


def bound(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Names of functions, and what patterns and handlers of errors call what they meet."""
    for node in nodes:
        kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ExceptHandler | ast.MatchAs | ast.MatchStar
        name = node.name if isinstance(node, kinds) else node.rest if isinstance(node, ast.MatchMapping) else None
        if name:
            yield name


def _once(nodes: list[ast.AST]) -> set[str]:
    """Names that are given something in one place of the text and in no other way."""
    stored = Counter(node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    return {name for name in stored if stored[name] == 1} - _otherwise(nodes)


def _otherwise(nodes: list[ast.AST]) -> set[str]:
    """Names that are given something, though not as `name = ...` or by a loop."""
    others = set(bound(nodes)) | {node.arg for node in nodes if isinstance(node, ast.arg)}
    others |= {node.name for node in nodes if isinstance(node, ast.ClassDef)}
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            others |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    return others


def locals_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.Name]:
    """Names within a function that stand for its own variables, and so for nothing of Python's or of its module's."""
    inner, theirs, todo = [], set(), list[ast.AST](function.body)
    own = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Global | ast.Nonlocal):
            theirs |= set(node.names)
        if isinstance(node, _COMPREHENSIONS):  # what it goes by is its own, what it reads may be the function's
            inner += [each for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)]
        elif isinstance(node, ast.Name):
            inner.append(node)
            own |= {node.id} if isinstance(node.ctx, ast.Store) else set()
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            todo += ast.iter_child_nodes(node)
    yield from (node for node in inner if node.id in own - theirs)


def beginning(name: ast.expr) -> str:
    """What an attribute's name begins with, of `f"layer{i}"`; empty where it may be a name of Python's own."""
    start = name.values[0] if isinstance(name, ast.JoinedStr) and name.values else None
    word = start.value if isinstance(start, ast.Constant) and isinstance(start.value, str) else ""
    return word if word.isidentifier() and word[0] != "_" else ""


def spelt(tree: ast.AST) -> set[str]:
    """Names that stand for words of the text in all places: of what a loop goes through, `for name in ("q", "k")` and
    `for name, layer in (("q", nn.Linear(2, 2)), ...)`."""
    nodes = list(ast.walk(tree))
    once = _once(nodes)
    tuples = {
        node.targets[0].id: node.value for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Tuple)
        and len(node.targets) == 1 and node.targets[0].id in once
    }  # fmt: skip
    loops = [node for node in nodes if isinstance(node, ast.For | ast.comprehension)]
    words = [target for loop in loops for target in _words(loop.target, loop.iter, tuples)]
    known = set(map(id, words))
    others = _otherwise(nodes) | {
        node.id for node in nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in known
    }  # fmt: skip
    return set() if others & _GOING_THROUGH else {word.id for word in words} - others


def _words(target: ast.expr, items: ast.expr, tuples: dict[str, ast.Tuple]) -> Iterator[ast.Name]:
    """Those names of a loop's target for which only words of its text come."""
    if isinstance(items, ast.Name):
        items = tuples.get(items.id, items)
    if isinstance(target, ast.Name) and _has_words(items):
        yield target
    if not isinstance(target, ast.Tuple) or any(isinstance(each, ast.Starred) for each in target.elts):
        return
    for each, column in zip(target.elts, _columns(items, len(target.elts)), strict=False):
        yield from _words(each, column, tuples)


def _columns(items: ast.expr, count: int) -> list[ast.expr]:
    """What each of so many names goes through, of rows that the text writes out, and of `enumerate` and `zip`."""
    called = items.func if isinstance(items, ast.Call) and not items.keywords else None
    if isinstance(items, ast.Call) and any(isinstance(each, ast.Starred) for each in items.args):
        return []
    if isinstance(items, ast.Call) and isinstance(called, ast.Name) and called.id in _GOING_THROUGH:
        return [ast.Constant(0), *items.args[:1]] if called.id == "enumerate" else items.args
    if isinstance(items, ast.Call) and isinstance(called, ast.Attribute) and called.attr == "items":
        keys = called.value.keys if isinstance(called.value, ast.Dict) else []
        return [ast.Tuple([key or ast.Constant(0) for key in keys])]
    if not isinstance(items, ast.Tuple | ast.List):
        return []
    rows = [row.elts for row in items.elts if isinstance(row, ast.Tuple | ast.List)]
    if len(rows) < len(items.elts) or any(len(row) != count for row in rows):
        return []
    if any(isinstance(each, ast.Starred) for row in rows for each in row):  # which may stand for several, or for none
        return []
    return [ast.Tuple(list(column)) for column in zip(*rows, strict=True)]


def _has_words(value: ast.expr) -> bool:
    words = value.elts if isinstance(value, ast.Tuple | ast.List) else [value]
    return bool(words) and all(isinstance(word, ast.Constant) and isinstance(word.value, str) for word in words)


def as_attributes(tree: ast.AST) -> ast.AST:
    """The tree, in which an attribute that is asked for by its name, `getattr(x, "n")`, `x.__dict__["n"]`,
    `vars(x).get("n")`, is written as `x.n`: it is the same, and no more."""
    for node in reversed(list(ast.walk(tree))):
        for field, value in ast.iter_fields(node):
            if isinstance(value, list):
                value[:] = [_as_attribute(each) for each in value]
            elif isinstance(value, ast.expr):
                setattr(node, field, _as_attribute(value))
    return tree


def _as_attribute(node: ast.AST) -> ast.AST:
    rest: list[ast.expr] = []
    ctx: ast.expr_context = ast.Load()
    if isinstance(node, ast.Subscript):
        whose, key, ctx = _whose(node.value), node.slice, node.ctx
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
        whose, key = _whose(node.comparators[0]), node.left
    elif isinstance(node, ast.Call) and node.args and not node.keywords:
        is_get = isinstance(node.func, ast.Attribute) and node.func.attr == "get"
        if isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) > 1:
            whose, key, *rest = node.args
        else:
            whose, (key, *rest) = _whose(node.func.value) if is_get else None, node.args  # type: ignore[attr-defined]
    else:
        return node
    if whose is None or not isinstance(key, ast.Constant) or not isinstance(key.value, str):
        return node
    if not key.value.isidentifier():
        return node
    asked = ast.copy_location(ast.Attribute(whose, key.value, ctx), node)
    return ast.copy_location(ast.Tuple([asked, *rest], ast.Load()), node) if rest else asked


def _whose(node: ast.expr) -> ast.expr | None:
    """Of whom it is the dict of attributes."""
    if isinstance(node, ast.Attribute) and node.attr == "__dict__":
        return node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vars":
        return node.args[0] if len(node.args) == 1 and not node.keywords else None
    return None
