"""Source text read with `ast`: parsed, asked for its names, and edited in place so that all else stays as it is.

Not covered: names that exist only when the source runs (`import *`, `exec`); `Names.open` says that there may be some.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from cuda_l1 import syntax
from cuda_l1.errors import TaskError


class Edit(NamedTuple):
    """Replace what lies between two places by `new`. Lines from 1, columns in bytes from 0, as `ast` counts."""

    line: int
    column: int
    end_line: int
    end_column: int
    new: str


class Names(NamedTuple):
    """What a source binds at its top level."""

    kinds: dict[str, str]
    """Name to `class`, `function`, `value`, or for an import where it comes from."""
    open: bool
    """Whether there may be more: the source has an `import *`."""


def parse(text: str, name: str) -> ast.Module:
    """TaskError with the line where the text is not Python."""
    try:
        return syntax.read(text)
    except SyntaxError as error:
        if not error.lineno:
            raise TaskError(f"{name} is not Python: {syntax.reason(error)}") from None
        line = (error.text or "").strip()
        raise TaskError(f"{name}, line {error.lineno}: SyntaxError: {error.msg}: {line!r}") from None


def edit(text: str, edits: Iterable[Edit]) -> str:
    """The text with the edits made. They must not overlap."""
    lines = [line.encode() for line in text.split("\n")]
    for one in sorted(edits, reverse=True):
        head = lines[one.line - 1][: one.column]
        tail = lines[one.end_line - 1][one.end_column :]
        lines[one.line - 1 : one.end_line] = (head + one.new.encode() + tail).split(b"\n")
    return b"\n".join(lines).decode()


def replacing(node: ast.expr | ast.stmt, new: str) -> Edit:
    """An edit that puts `new` in the place of an expression, or of a statement."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return Edit(node.lineno, node.col_offset, node.end_lineno, node.end_col_offset, new)


def names(tree: ast.Module) -> Names:
    """Names bound at the top level, also inside its `if`, `try` and `with`."""
    kinds: dict[str, str] = {}
    is_open = False
    for node in _statements(tree.body):
        if isinstance(node, ast.ClassDef):
            kinds[node.name] = "class"
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            kinds[node.name] = "function"
        elif isinstance(node, ast.Import | ast.ImportFrom):
            base = "." * node.level + (node.module or "") + "." if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                is_open |= alias.name == "*"
                plain = alias.name if base else alias.name.partition(".")[0]
                kinds[alias.asname or plain] = base + (alias.name if alias.asname else plain)
        else:
            for name in ast.walk(node):
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                    kinds[name.id] = "value"
    return Names(kinds, is_open)


def function(tree: ast.Module, class_name: str | None, method: str) -> ast.FunctionDef | None:
    """A method of a class at the top level, its own or that of the first class there that it is made of; or without a
    class a function there. None if there is none, or another file has it."""
    made_there = [node for node in _statements(tree.body) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    known = {node.name: node for node in reversed(made_there)}
    if class_name is None:
        made = known.get(method)
        return made if isinstance(made, ast.FunctionDef) else None
    kind = known.pop(class_name, None)
    while isinstance(kind, ast.ClassDef):
        for own in kind.body:
            if isinstance(own, ast.FunctionDef) and own.name == method:
                return own
        base = kind.bases[0] if kind.bases else None
        kind = known.pop(base.id, None) if isinstance(base, ast.Name) else None
    return None


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, ast.If | ast.Try | ast.With):
            yield from _statements(node.body)
            if not isinstance(node, ast.With):
                yield from _statements(node.orelse)
            if isinstance(node, ast.Try):
                for handler in node.handlers:
                    yield from _statements(handler.body)
                yield from _statements(node.finalbody)
        else:
            yield node
