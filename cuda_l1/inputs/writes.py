"""Whether a task writes to places of something, by its text, and whether it may write to one twice. Pure.

NOT covered: what it asks of its inputs (asks.py).
"""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Iterator, Mapping

from cuda_l1 import syntax
from cuda_l1.inputs import asks, held

_PUTS = re.compile(r"\b(scatter\w*|index_(copy|put|fill|reduce)_?|put_)\b")
_OVERWRITES = re.compile(r"scatter_?|index_(copy|put)_?|put_")
_ROUNDS = 3
"""A loop within a loop, and what it names in turn."""


def writes_to_places(source: str) -> bool:
    """Whether something is written to places of something."""
    source = asks.of_module(source)
    return _PUTS.search(source) is not None or _assigns_to_places(source)


def overwrites(source: str, dims: Mapping[str, int] | None = None) -> bool:
    """Whether it is, at others than what a loop counts, and what is written twice is not added, nor one number. `dims`:
    by the name of an input how many dimensions it has."""
    source = asks.of_module(source)
    return _puts_over(source) or _assigns_to_places(source, but=_counted(source), dims=dims or {})


def _puts_over(source: str) -> bool:
    """Whether there is a call that does so: `scatter_(1, index, other)`, and not `scatter_(1, index, True)`."""
    with contextlib.suppress(SyntaxError):
        calls = [node for node in ast.walk(syntax.read(source)) if isinstance(node, ast.Call)]
        puts = [call for call in calls if _OVERWRITES.fullmatch(held.called(call))]
        words = [[word.value for word in call.keywords if word.arg == "value"] for call in puts]
        given = ([*call.args[2:], *some] for call, some in zip(puts, words, strict=True))
        return not all(any(map(asks.is_number, some)) for some in given)
    return False


def _assigns_to_places(source: str, *, but: set[str] | None = None, dims: Mapping[str, int] | None = None) -> bool:
    """Whether there is such an assignment; at places that have a name which is not one of these, if some are given, and
    of no single number, which is the same whatever comes first, nor of what adds to one place alone."""
    with contextlib.suppress(SyntaxError):
        tree = syntax.read(source)
        assigned = [node for node in ast.walk(tree) if isinstance(node, ast.Assign)]
        targets = [each for node in assigned if but is None or not asks.is_number(node.value) for each in node.targets]
        places = [each for one in targets for each in ast.walk(one) if isinstance(each, ast.Subscript)]
        if but is not None:
            adds = _that_add(tree, assigned, dict.fromkeys(but, 0) | dict(dims or {}))
            places = [each for each in places if id(each) not in adds and not _names(each.slice) <= but]
        return bool(places)
    return False


def _that_add(tree: ast.AST, assigned: list[ast.Assign], dims: Mapping[str, int]) -> set[int]:
    """Places, one at a time, that get what they had and more: `r[a] = r[a] + step`, for a game of many, after which
    whoever comes twice has both."""
    of = dict[str, list[ast.expr]]()
    for called, value in held.called_so(tree):
        of.setdefault(ast.unparse(called), []).append(value)
    ranks = _ranks(tree, dims)
    found = set[int]()
    for target, value in ((each, node.value) for node in assigned for each in node.targets):
        if isinstance(target, ast.Subscript) and all(_is_one(each, ranks) for each in _places(target)):
            read, left = set[str](), [value]
            while left:
                names = {
                    ast.unparse(each) for each in ast.walk(left.pop()) if isinstance(each, (ast.Name, ast.Subscript))
                }
                left += [one for name in names - read for one in of.get(name, ())]
                read |= names
            found |= {id(target)} if ast.unparse(target) in read else set()
    return found


def _ranks(tree: ast.AST, dims: Mapping[str, int]) -> dict[str, int]:
    """By name how many dimensions something has, where that is known: none of `a`, as in `for a in ids` or `ids[i]`."""
    ranks = dict(dims)
    for _ in range(_ROUNDS):
        for node in ast.walk(tree):
            for target, value, less in _taken(node):
                if isinstance(target, ast.Name) and target.id not in dims and (rank := _rank(value, ranks)) is not None:
                    ranks[target.id] = rank - less
    return ranks


def _taken(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr, int]]:
    """What is assigned to what, and what goes through what, which has a dimension less."""
    if isinstance(node, ast.Assign):
        yield from ((*pair, 0) for each in node.targets for pair in held.one_by_one(each, node.value))
    elif isinstance(node, ast.For):
        yield from ((*pair, 1) for pair in held.one_by_one(node.target, node.iter))


def _rank(node: ast.expr, ranks: Mapping[str, int]) -> int | None:
    if isinstance(node, ast.Name):
        return ranks.get(node.id)
    if isinstance(node, ast.Call):
        is_number = held.called(node) in ("int", "item")
        return 0 if is_number else _rank(node.func.value, ranks) if isinstance(node.func, ast.Attribute) else None
    if isinstance(node, ast.Subscript) and (rank := _rank(node.value, ranks)) is not None:
        places = [each for each in _places(node) if not isinstance(each, ast.Slice)]
        return rank - len(places) if all(_is_one(each, ranks) for each in places) else None
    return None


def _places(node: ast.Subscript) -> list[ast.expr]:
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def _is_one(place: ast.expr, ranks: Mapping[str, int]) -> bool:
    """Whether it is a single number, by what is known of what it is made of."""
    return _rank(place, ranks) == 0 or all(ranks.get(name) == 0 for name in _names(place))


def _counted(source: str) -> set[str]:
    """What loops count with: `for t in range(...)`."""
    with contextlib.suppress(SyntaxError):
        loops = (node for node in ast.walk(syntax.read(source)) if isinstance(node, ast.For))
        calls = ((loop.target, loop.iter.func) for loop in loops if isinstance(loop.iter, ast.Call))
        return {name for target, func in calls if _names(func) == {"range"} for name in _names(target)}
    return set()


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
