"""Techniques that leave a task's text as it is, to the letter: comments, docstrings, layout, whatever cannot be traced.

Each takes a task and returns what it changed and the candidate's source. What only the makers of inputs used goes.
Not covered: a source that names Model in an f-string, or has two statements in one line there; it is declined.
"""

from __future__ import annotations

import ast
import io
import itertools
import re
import tokenize
from collections.abc import Callable

from cuda_l1.transforms.emit import model_of
from cuda_l1.transforms.program import DeclineError
from cuda_l1.transforms.unused import swept
from cuda_l1.types import Task


def compiled_forward(task: Task) -> tuple[str, str]:
    """torch.compile over the forward as it was written."""
    tree = ast.parse(task.source)
    model, forward = model_of(tree)
    lines = _renamed(task.source, "Model", "ModelNew").split("\n")
    first = min([forward.lineno, *(each.lineno for each in forward.decorator_list)])
    lines[first - 1] = f"{' ' * forward.col_offset}@torch.compile(dynamic=False)\n{lines[first - 1]}"
    makers = [node for node in tree.body if getattr(node, "name", "") in ("get_inputs", "get_init_inputs")]
    own = [node for node in tree.body if node not in makers]
    kept = swept(own, model, taken=makers, added=())
    for node in (node for node in tree.body if node not in kept):
        _take_out(lines, node)
    if not any(isinstance(node, ast.Import) and any(_binds_torch(each) for each in node.names) for node in kept):
        lines[_after_future(tree) : _after_future(tree)] = ["import torch"]
    lines = [line for line in lines if line != _GONE]
    while lines and (not lines[-1].strip() or lines[-1].startswith("#")):  # of what went
        lines.pop()
    code = re.sub(r"\n{3,}", "\n\n\n", "\n".join(lines)).strip() + "\n"
    names = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
    if "Model" in names or not re.search(r"^class ModelNew\b", code, re.MULTILINE):
        raise DeclineError("the source names Model where its text cannot be changed")
    return "torch.compile", code


TECHNIQUES: dict[str, Callable[[Task], tuple[str, str]]] = {"compiled_forward": compiled_forward}

_GONE = "\0"
"""No line of Python."""


def _renamed(source: str, old: str, new: str) -> str:
    """The source with a name in other letters, where it is no attribute and no part of a text."""
    lines = source.split("\n")
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    for before, token in reversed(list(itertools.pairwise(tokens))):
        if token.type == tokenize.NAME and token.string == old and before.string != ".":
            (row, column), (_, end) = token.start, token.end
            lines[row - 1] = lines[row - 1][:column] + new + lines[row - 1][end:]
    return "\n".join(lines)


def _take_out(lines: list[str], node: ast.stmt) -> None:
    """Its lines, and the comment that stands right above them."""
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
    while first > 1 and lines[first - 2].startswith("#"):
        first -= 1
    lines[first - 1 : node.end_lineno] = [_GONE] * ((node.end_lineno or node.lineno) - first + 1)


def _binds_torch(alias: ast.alias) -> bool:
    return alias.name.partition(".")[0] == "torch" and (alias.asname or "torch") == "torch"


def _after_future(tree: ast.Module) -> int:
    """How many lines a docstring and what is imported from __future__ take."""
    lines = 0
    for node in tree.body:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not (is_text and node is tree.body[0]) and getattr(node, "module", "") != "__future__":
            break
        lines = node.end_lineno or node.lineno
    return lines
