"""When two sources are the same: by their text without comments and names, and by that without numbers too.

    normalised(source)      comments, docstrings, layout and chosen names gone: what is left decides what is computed
    structure(source)       also without numbers: tasks that differ in shapes and constants alone are equal
    used(source, name)      normalised, of that class and what it uses alone, with names of imports written out, and the
                            values that its constructor is given in place of what holds them
    operations(source)      what the source calls, in order: `linear`, `gelu`, `cumsum`, `matmul` ...

Not covered: two texts that compute the same in different words.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from cuda_l1 import constants, syntax

NO_OPERATIONS = {"super", "init", "parameter", "randn", "rand"}
"""Called to construct a module, not by it."""
Named = ast.ClassDef | ast.FunctionDef | ast.Assign
OPERATORS = {ast.MatMult: "matmul", ast.Pow: "pow"}


def normalised(source: str) -> str:
    """SyntaxError where the text is no Python."""
    return _text(syntax.read(source), numbers=True)


def structure(source: str) -> str:
    """See the module."""
    return _text(syntax.read(source), numbers=False)


def used(source: str, name: str, values: Sequence[object] = ()) -> str:
    """See the module. What stands beside the class and acts by being there, such as a call, is kept; of classes that
    are written twice the last."""
    tree = constants.written_in(constants.last_of_each(syntax.read(source)), name, values)
    unused = {id(node) for node in tree.body if isinstance(node, Named)} - _reached(tree, name)
    tree.body = [node for node in tree.body if id(node) not in unused or _acts(node)]
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
    return _text(_WrittenOut(_imported(tree)).visit(tree), numbers=True)


def _reached(tree: ast.Module, name: str) -> set[int]:
    """Ids of the definitions at the top level that this one leads to, and its own."""
    found: set[int] = set()
    wanted = [name]
    while wanted:
        sought = wanted.pop()
        for node in tree.body:
            if id(node) not in found and isinstance(node, Named) and sought in _names(node):
                found.add(id(node))
                wanted += constants.names_read(node)
    return found


def _names(node: Named) -> list[str]:
    """What a definition defines."""
    if isinstance(node, ast.Assign):
        return [each.id for target in node.targets for each in ast.walk(target) if isinstance(each, ast.Name)]
    return [node.name]


def _acts(node: ast.stmt) -> bool:
    """Whether an assignment does more than to give names to values."""
    return isinstance(node, ast.Assign) and (
        any(isinstance(each, ast.Call) for each in ast.walk(node.value))
        or any(isinstance(each, ast.Attribute | ast.Subscript) for target in node.targets for each in ast.walk(target))
    )


def _imported(tree: ast.Module) -> dict[str, str]:
    """Names that imports choose, and what they stand for."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.asname: alias.name for alias in node.names if alias.asname}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return found


class _WrittenOut(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        meant = self.names.get(node.id) if isinstance(node.ctx, ast.Load) else None
        return node if meant is None else ast.parse(meant, mode="eval").body


def _text(tree: ast.Module, *, numbers: bool) -> str:
    chosen = _chosen(tree)
    renamed = _Renamed({name: f"n{number}" for number, name in enumerate(chosen)}, numbers)
    tree.body = [node for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom)]
    return ast.unparse(ast.fix_missing_locations(renamed.visit(tree)))


def _chosen(tree: ast.Module) -> list[str]:
    """Names that the text itself gives, in their order: constants, arguments, locals and attributes of `self`."""
    found: dict[str, None] = {}
    kept = {"Model", "ModelNew", "get_inputs", "get_init_inputs", "forward", "__init__", "self"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found[node.id] = None
        elif isinstance(node, ast.arg):
            found[node.arg] = None
        elif isinstance(node, ast.ClassDef | ast.FunctionDef):
            found[node.name] = None
        elif isinstance(node, ast.Attribute) and _of_self(node):
            found[f"self.{node.attr}"] = None
    return [name for name in found if name not in kept]


def _of_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str], numbers: bool) -> None:
        self.names, self.numbers = names, numbers

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(self.names.get(node.arg, node.arg))

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        attr = self.names.get(f"self.{node.attr}", node.attr) if _of_self(node) else node.attr
        return ast.Attribute(self.visit(node.value), attr, node.ctx)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        number = isinstance(node.value, int | float) and not isinstance(node.value, bool)
        return ast.Constant(0) if number and not self.numbers else node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text else self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.name = self.names.get(node.name, node.name)
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self.names.get(node.name, node.name)
        return self.generic_visit(node)


def operations(source: str) -> tuple[str, ...]:
    """Names of what is called inside classes, in the order of the text, without the `nn.`, `F.` or value before it."""
    found: list[tuple[int, int, str]] = []
    for kind in (node for node in syntax.read(source).body if isinstance(node, ast.ClassDef)):
        for node in ast.walk(kind):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not _of_self(node.func):
                name = re.sub(r"\dd$", "", node.func.attr).lower().replace("_", "")
                found.append((node.end_lineno or 0, node.end_col_offset or 0, name))
            elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
                found.append((node.end_lineno or 0, node.end_col_offset or 0, OPERATORS[type(node.op)]))
    return tuple(name for _, _, name in sorted(found) if name not in NO_OPERATIONS)
