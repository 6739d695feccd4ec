"""What a class is constructed with, read off a source and written into it: `self.scale` and `2.0` are the same then.

    given(source)                       what `get_init_inputs` returns, where the text says it
    last_of_each(tree)                  of classes that are written twice the last
    written_in(tree, name, values)      these values in place of the constructor's arguments and what holds them
    names_read(node)                    names of the module that a statement of it uses

Nothing is run. Not covered: values that something must be called or computed for.
"""

from __future__ import annotations

import ast
import contextlib
import symtable
from collections.abc import Mapping, Sequence


def given(source: str) -> tuple[object, ...]:
    """Empty where the text does not say them, or some by name."""
    named: dict[str, ast.expr] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign):
            value = _Replaced(named, {}).visit(node.value)
            for target in node.targets:
                if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                    named |= dict(zip(map(ast.unparse, target.elts), value.elts, strict=False))
                named[ast.unparse(target)] = value
        elif isinstance(node, ast.FunctionDef) and node.name == "get_init_inputs":
            last = node.body[-1]
            if isinstance(last, ast.Return) and last.value is not None:
                with contextlib.suppress(ValueError, TypeError):
                    values = ast.literal_eval(_Replaced(named, {}).visit(last.value))
                    return () if any(isinstance(each, dict) for each in (values, *values)) else tuple(values)
    return ()


def last_of_each(tree: ast.Module) -> ast.Module:
    """The same tree, changed; a class that extends one of its own name keeps that."""
    last = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    extended = {name for name, node in last.items() if name in map(ast.unparse, node.bases)}
    tree.body = [
        node
        for node in tree.body
        if not isinstance(node, ast.ClassDef) or node is last[node.name] or node.name in extended
    ]
    return tree


def written_in(tree: ast.Module, name: str, values: Sequence[object]) -> ast.Module:
    """The same tree, changed; as it was where it is not plain which argument has which value."""
    for kind in tree.body:
        if isinstance(kind, ast.ClassDef) and kind.name == name:
            for node in kind.body:
                if isinstance(node, ast.FunctionDef) and node.name == "__init__":
                    _write_in(kind, node, values)
    return tree


def names_read(node: ast.stmt) -> set[str]:
    """An argument or a local of the same name is another. A class body that binds a name may have read the module's
    before."""
    tables, found = [symtable.symtable(ast.unparse(node), "<statement>", "exec")], set()
    while tables:
        table = tables.pop()
        tables += table.get_children()
        is_class = table.get_type() == "class"
        found |= {s.get_name() for s in table.get_symbols() if s.is_referenced() and (s.is_global() or is_class)}
    return found


def _write_in(kind: ast.ClassDef, made: ast.FunctionDef, values: Sequence[object]) -> None:
    arguments = made.args
    names = [each.arg for each in arguments.args[1:]]
    by_default = dict(zip(names[::-1], arguments.defaults[::-1], strict=False))
    known = by_default | {
        name: ast.parse(repr(value), mode="eval").body for name, value in zip(names, values, strict=False)
    }
    is_plain = not (arguments.posonlyargs or arguments.vararg or arguments.kwonlyargs or arguments.kwarg)
    if not is_plain or len(values) > len(names) or len(known) < len(names):
        return
    stored = [
        ast.unparse(each) for each in ast.walk(kind) if isinstance(each, ast.Name | ast.Attribute) and _is_set(each)
    ]
    arguments.defaults = []
    replaced = _Replaced({each: value for each, value in known.items() if each not in stored}, {})
    made.body = [replaced.visit(node) for node in made.body]
    held: dict[str, ast.expr] = {}
    kept: list[ast.stmt] = []
    for node in made.body:
        target = ast.unparse(node.targets[0]) if isinstance(node, ast.Assign) and len(node.targets) == 1 else ""
        if (
            isinstance(node, ast.Assign)
            and target.startswith("self.")
            and stored.count(target) == 1
            and _is_value(node.value)
        ):
            held[target] = node.value
        else:
            kept.append(node)
    made.body = kept or [ast.Pass()]
    kind.body = [_Replaced({}, held).visit(node) for node in kind.body]


def _is_set(node: ast.Name | ast.Attribute) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _is_value(node: ast.expr) -> bool:
    with contextlib.suppress(ValueError, TypeError):
        ast.literal_eval(node)
        return True
    return False


class _Replaced(ast.NodeTransformer):
    """Names, and attributes of `self`, by what they stand for."""

    def __init__(self, names: Mapping[str, ast.expr], attributes: Mapping[str, ast.expr]) -> None:
        self.names, self.attributes = names, attributes

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return node if _is_set(node) else self.names.get(node.id, node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        meant = None if _is_set(node) else self.attributes.get(ast.unparse(node))
        return self.generic_visit(node) if meant is None else meant
