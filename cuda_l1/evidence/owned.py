"""Which names of a candidate's text stand for what is its own: its classes, its module, and the module's parts.

What a text keeps it finds again by any of these names. So where it hands on a class or a module of others, its own is
only what no value can stand behind: `self.n = 1`, and no `self.part.n = 1`.

NOT covered: what functions of libraries return of others, and tensors that it is given.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from types import ModuleType
from typing import NamedTuple

from cuda_l1.evidence import naming

_GO_THROUGH = {"self", "enumerate", "zip", "reversed"}
"""All names that a loop over parts of the module holds."""
_LOOK = {"hasattr", "isinstance", "issubclass", "super"}
"""Functions that keep nothing of the classes that they are given."""
_IMMUTABLE = 1 << 8
"""Python's flag of a class to which no attribute can be given."""
_LAYER = "torch.nn.modules.module.Module"


class Own(NamedTuple):
    """Names that stand for what is its own, and whether all does that these lead to."""

    names: set[str]
    is_deep: bool
    given: dict[int, set[str]]
    """By node, what may be anybody's there."""

    def has(self, node: ast.expr) -> bool:
        """Whether it is what is its own."""
        here = node
        while self.is_deep and isinstance(here, ast.Attribute | ast.Subscript):
            here = here.value
        return isinstance(here, ast.Name) and here.id in self.names - self.given.get(id(node), set())


def of(tree: ast.AST, held: dict[str, object]) -> Own:
    """The text's own modules and classes, and such parts of these (`for part in self.modules()`, `layer = nn.Linear(n,
    n)`), by names that stand for nothing else. `held`: what imported names stand for."""
    nodes = list(ast.walk(tree))
    looks = _looked_at(nodes) | {  # who uses another name of a class hands it on, and not who gives it that name
        id(node.value) for node in naming.other_names(tree) if getattr(node.targets[0], "id", None) in held
    }
    is_deep = not any(_hands_on(node, held) for node in nodes if id(node) not in looks)
    classes = {node.name for node in nodes if isinstance(node, ast.ClassDef)}
    kept = {id(node.targets[0]) for node in nodes if isinstance(node, ast.Assign) and _moves_itself(node)}
    stored = Counter(
        node.id for node in nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and not (is_deep and id(node) in kept)
    )  # fmt: skip
    named = set(naming.bound(nodes))
    plain = _plain_functions(tree)
    bound, anybodys = set(held) | (named - plain), _given(tree)
    own = {"self", "ctx"} | classes | plain
    if not is_deep:
        modules = set() if _lends_self(nodes, looks) else {"self"}
        return Own((classes | plain | modules) - set(stored) - bound, False, anybodys)
    within = [node for node in nodes if "self" not in anybodys.get(id(node), ()) and "self" not in stored]
    given = {arg.arg for arg in nodes if isinstance(arg, ast.arg)}
    imported = {name: held[name] for name in held.keys() - set(stored) - named - given - classes}
    parts = Counter(name for node in within for name in _parts(node, imported))
    taken = given | bound | own
    its_parts = {name for name in parts if parts[name] == stored[name]} - taken
    return Own((own - set(stored) - bound) | its_parts, True, anybodys)


def _plain_functions(tree: ast.AST) -> set[str]:
    """Names that stand for a function of the text alone."""
    nodes = list(ast.walk(tree))
    methods = {id(item) for node in nodes if isinstance(node, ast.ClassDef) for item in node.body}
    count = Counter(naming.bound(nodes))
    return {
        node.name for node in nodes
        if isinstance(node, ast.FunctionDef) and id(node) not in methods and not node.decorator_list
        and count[node.name] == 1
    }  # fmt: skip


def _looked_at(nodes: list[ast.AST]) -> set[int]:
    """Nodes that are called, whose attributes are read, or that nothing is kept of: bases of classes, annotations, what
    something is compared with."""
    shadowed = set(naming.bound(nodes)) | {arg.arg for arg in nodes if isinstance(arg, ast.arg)} | {
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }  # fmt: skip
    looks = set()
    for node in nodes:
        whole: list[ast.AST | None] = []
        if isinstance(node, ast.Attribute):
            looks.add(id(node.value))
        elif isinstance(node, ast.Call):
            looks.add(id(node.func))
            if isinstance(node.func, ast.Name) and node.func.id in _LOOK - shadowed:
                whole += node.args
        elif isinstance(node, ast.Compare):
            looks |= {id(each) for each in (node.left, *node.comparators)}
        elif isinstance(node, ast.ExceptHandler):
            whole.append(node.type)
        elif isinstance(node, ast.arg | ast.AnnAssign):
            whole.append(node.annotation)
        elif isinstance(node, ast.MatchClass):
            looks.add(id(node.cls))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            whole.append(node.returns)
        if isinstance(node, ast.ClassDef) and not node.keywords:  # a metaclass is given the bases
            looks |= {id(each) for each in node.bases}
        looks |= {id(each) for each in getattr(node, "decorator_list", ())}
        for part in filter(None, whole):
            within = list(ast.walk(part))
            if not any(isinstance(each, ast.Call | ast.NamedExpr | ast.Lambda) for each in within):
                looks |= set(map(id, within))
    return looks


def _hands_on(node: ast.AST, held: dict[str, object]) -> bool:
    """Whether it is a class or a module of others as a value: what attributes are given to may then be that."""
    if isinstance(node, ast.ClassDef):
        return any(isinstance(each, ast.Import | ast.ImportFrom) for each in node.body)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "type"
    if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
        return False
    here = naming.leads_to(node, held)
    if isinstance(here, type) and not here.__flags__ & _IMMUTABLE:
        return not any(f"{base.__module__}.{base.__qualname__}" == _LAYER for base in here.__mro__[1:])
    return isinstance(here, ModuleType) or (isinstance(node, ast.Name) and node.id == "type")


def _lends_self(nodes: list[ast.AST], looks: set[int]) -> bool:
    """Whether `self` of a method may be anybody: `A.method(other)`, or a class of the text that is handed on."""
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    names, methods = (
        {node.name for node in classes},
        {name for node in classes for name in naming.bound(ast.walk(node))},
    )
    usual = {
        id(node.func) for node in nodes
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Name) and node.args[0].id == "self"
    }  # fmt: skip
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names and id(node) not in looks:
            return True
        if isinstance(node, ast.Attribute) and node.attr in methods and id(node) not in usual:
            whose = node.value.func if isinstance(node.value, ast.Call) else node.value
            if isinstance(whose, ast.Name) and whose.id in (names | {"type"} if whose is node.value else {"type"}):
                return True
    return False


def _parts(node: ast.AST, held: dict[str, object]) -> Iterator[str]:
    """Names to which it gives parts of the module, or a new layer of torch's."""
    if isinstance(node, ast.For):
        within = {each.id for each in ast.walk(node.iter) if isinstance(each, ast.Name)}
        is_part, targets = "self" in within and within <= _GO_THROUGH, [node.target]
        is_part &= not any(isinstance(each, ast.Lambda | ast.NamedExpr) for each in ast.walk(node.iter))
    elif isinstance(node, ast.Assign):
        is_layer = isinstance(node.value, ast.Call) and _is_layer(node.value.func, held)
        is_part, targets = is_layer or _is_of_itself(node.value), node.targets
    else:
        return
    for target in targets if is_part else ():
        yield from (
            each.id for each in ast.walk(target) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        )


def _is_of_itself(node: ast.AST) -> bool:
    """`self.layers[0].weight`."""
    root = node
    while isinstance(root, ast.Attribute | ast.Subscript):
        root = root.value
    return root is not node and isinstance(root, ast.Name) and root.id == "self"


def _is_layer(called: ast.AST, held: dict[str, object]) -> bool:
    """`nn.Linear`, or `torch.nn.Linear`: what that makes is nobody else's."""
    if not isinstance(called, ast.Attribute) or not called.attr[:1].isupper():
        return False
    path = ast.unparse(called.value)
    where = held.get(path.partition(".")[0])
    stands_for = getattr(where, "__name__", getattr(where, "name", ""))  # a module, or one that is not loaded here
    return (stands_for, path) in (("torch", "torch.nn"), ("torch.nn", path.partition(".")[0]))


def _moves_itself(node: ast.Assign) -> bool:
    """`self = self.to(...)`."""
    root: ast.AST = node.value
    while isinstance(root, ast.Attribute | ast.Call):
        root = root.value if isinstance(root, ast.Attribute) else root.func
    target = node.targets[0]
    return isinstance(target, ast.Name) and isinstance(root, ast.Name) and root.id == target.id


def _given(tree: ast.AST) -> dict[int, set[str]]:
    """By node, the parameters of functions around it, which may be anybody's: all but a method's first. What a static
    method calls `self` is given to it too."""
    methods = {id(item) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for item in node.body}
    given: dict[int, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            places = [*node.args.posonlyargs, *node.args.args]
            others = [*node.args.kwonlyargs, *filter(None, (node.args.vararg, node.args.kwarg))]
            names = {each.arg for each in (*places[id(node) in methods :], *others)}
            if any("staticmethod" in ast.unparse(each) for each in getattr(node, "decorator_list", ())):
                names |= {each.arg for each in places[:1] if each.arg == "self"}
            for inner in ast.walk(node):
                given.setdefault(id(inner), set()).update(names)
    return given
