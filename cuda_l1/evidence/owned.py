"""Which names of a candidate's text stand for what is its own: its classes, its module, and the module's parts.

NOT covered: what a part is, if the text puts something of others' there (`self.part = torch`).
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping

_GO_THROUGH = {"self", "enumerate", "zip", "reversed"}
"""All names that a loop over parts of the module holds."""


def names(tree: ast.AST, held: Mapping[str, object]) -> set[str]:
    """Names of the text's own modules and classes, and of such parts of these (`for part in self.modules()`, `layer =
    nn.Linear(n, n)`), of those that stand for nothing else. `held`: what imported names stand for."""
    classes = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    kept = {id(node.targets[0]) for node in ast.walk(tree) if isinstance(node, ast.Assign) and _moves_itself(node)}
    stored = Counter(
        node.id for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in kept
    )  # fmt: skip
    anybodys = given(tree)
    within = [node for node in ast.walk(tree) if "self" not in anybodys.get(id(node), ()) and "self" not in stored]
    parts = Counter(name for node in within for name in _parts(node, held))
    taken = {arg.arg for arg in ast.walk(tree) if isinstance(arg, ast.arg)} | set(held)
    taken |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    own = {"self", "ctx"} | classes
    return (own - set(stored)) | {name for name, times in parts.items() if times == stored[name]} - taken - own


def _parts(node: ast.AST, held: Mapping[str, object]) -> Iterator[str]:
    """Names to which it gives parts of the module, or a new layer of torch's."""
    if isinstance(node, ast.For):
        within = {each.id for each in ast.walk(node.iter) if isinstance(each, ast.Name)}
        is_part, targets = "self" in within and within <= _GO_THROUGH, [node.target]
        is_part &= not any(isinstance(each, ast.Lambda | ast.NamedExpr) for each in ast.walk(node.iter))
    elif isinstance(node, ast.Assign):
        is_part, targets = isinstance(node.value, ast.Call) and _is_layer(node.value.func, held), node.targets
    else:
        return
    for target in targets if is_part else ():
        yield from (
            each.id for each in ast.walk(target) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        )


def _is_layer(called: ast.AST, held: Mapping[str, object]) -> bool:
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


def given(tree: ast.AST) -> dict[int, set[str]]:
    """By node, the parameters of functions around it that are no methods: these may be anybody's."""
    methods = {id(item) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for item in node.body}
    given: dict[int, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and id(node) not in methods:
            names = {arg.arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
            for inner in ast.walk(node):
                given.setdefault(id(inner), set()).update(names)
    return given
