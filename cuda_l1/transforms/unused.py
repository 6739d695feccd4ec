"""What nothing uses any more once code is taken out of a module: what only that code named goes too.

Definitions, constants, imports, and methods of the class that was rewritten. What nothing had named before stays, as it
may act by being there. Not covered: names that are put together at run time; methods of other classes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torch import nn

from cuda_l1 import constants


def swept(body: list[ast.stmt], model: ast.ClassDef, taken: Iterable[ast.AST], added: Iterable[str]) -> list[ast.stmt]:
    """`body` and the class in it without what only `taken` named; `added` are names that may be for nothing too."""
    body = list(body)
    doubtful = set(added).union(*map(_named, taken))
    while found := next((node for node in [*body, *model.body] if _unused(node, body, model, doubtful)), None):
        (body if found in body else model.body).remove(found)
        doubtful |= _named(found)
    doubtful -= set().union(*map(_named, body))
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            node.names = [alias for alias in node.names if _bound(alias) not in doubtful]
    return [node for node in body if not isinstance(node, ast.Import | ast.ImportFrom) or node.names]


def _unused(node: ast.stmt, body: list[ast.stmt], model: ast.ClassDef, doubtful: set[str]) -> bool:
    names = _defined(node)
    if node is model or not names or not names <= doubtful:
        return False
    if node in body:
        return not any(names & constants.names_read(part) for part in body if part is not node)
    if any(hasattr(nn.Module, name) for name in names):
        return False  # torch calls it
    parts = [*body, *model.body, *model.bases, *model.decorator_list]
    return not any(names & _named(part) for part in parts if part is not node and part is not model)


def _defined(node: ast.stmt) -> set[str]:
    """The names that a statement does nothing but define."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if not isinstance(node, ast.Assign) or any(isinstance(each, ast.Call) for each in ast.walk(node.value)):
        return set()
    targets = [each for target in node.targets for each in getattr(target, "elts", [target])]
    names = {target.id for target in targets if isinstance(target, ast.Name)}
    return names if len(names) == len(targets) else set()


def _named(tree: ast.AST) -> set[str]:
    """Every name that is read, also as an attribute or for `getattr`."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return found


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]
