"""Whether a task writes to places of something, by its text, and whether it may write to one twice. Pure.

NOT covered: what it asks of its inputs (asks.py).
"""

from __future__ import annotations

import ast
import contextlib
import re

from cuda_l1 import syntax
from cuda_l1.inputs import asks

_PUTS = re.compile(r"\b(scatter\w*|index_(copy|put|fill|reduce)_?|put_)\b")
_OVERWRITES = re.compile(r"scatter_?|index_(copy|put)_?|put_")


def writes_to_places(source: str) -> bool:
    """Whether something is written to places of something."""
    source = asks.of_module(source)
    return _PUTS.search(source) is not None or _assigns_to_places(source)


def overwrites(source: str) -> bool:
    """Whether it is, at others than what a loop counts, and what is written twice is not added, nor one number."""
    source = asks.of_module(source)
    return _puts_over(source) or _assigns_to_places(source, but=_counted(source))


def _puts_over(source: str) -> bool:
    """Whether there is a call that does so: `scatter_(1, index, other)`, and not `scatter_(1, index, True)`."""
    with contextlib.suppress(SyntaxError):
        calls = [node for node in ast.walk(syntax.read(source)) if isinstance(node, ast.Call)]
        puts = [call for call in calls if _OVERWRITES.fullmatch(asks.called(call))]
        words = [[word.value for word in call.keywords if word.arg == "value"] for call in puts]
        given = ([*call.args[2:], *some] for call, some in zip(puts, words, strict=True))
        return not all(any(map(asks.is_number, some)) for some in given)
    return False


def _assigns_to_places(source: str, *, but: set[str] | None = None) -> bool:
    """Whether there is such an assignment; at places that have a name which is not one of these, if some are given, and
    of no single number, which is the same whatever comes first."""
    with contextlib.suppress(SyntaxError):
        assigned = [node for node in ast.walk(syntax.read(source)) if isinstance(node, ast.Assign)]
        targets = [each for node in assigned if but is None or not asks.is_number(node.value) for each in node.targets]
        places = [each.slice for one in targets for each in ast.walk(one) if isinstance(each, ast.Subscript)]
        return bool(places) and (but is None or not all(_names(place) <= but for place in places))
    return False


def _counted(source: str) -> set[str]:
    """What loops count with: `for t in range(...)`."""
    with contextlib.suppress(SyntaxError):
        loops = (node for node in ast.walk(syntax.read(source)) if isinstance(node, ast.For))
        calls = ((loop.target, loop.iter.func) for loop in loops if isinstance(loop.iter, ast.Call))
        return {name for target, func in calls if _names(func) == {"range"} for name in _names(target)}
    return set()


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
