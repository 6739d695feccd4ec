"""Parts that a candidate's own text declares, and the text with some of them off.

    PARTS = ("HOISTED", "FUSED")
    HOISTED = True   # the input's products of all steps at once
    FUSED = True     # one kernel for the gates

`PARTS` names module-level constants that are `True`, each read somewhere in the file. With all of them on, the file is
an ordinary candidate; a part is removed by writing `False` in place of its `True`, and nothing else changes.
NOT covered: whether the code minds the switch (the judge sees only what it does), parts of more than two states.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Collection
from typing import NamedTuple

from cuda_l1 import syntax
from cuda_l1.errors import UsageError

DECLARATION = "PARTS"


class Part(NamedTuple):
    """One thing that can be taken away, and what its author says of it."""

    name: str
    note: str = ""


def read(code: str) -> tuple[Part, ...]:
    """The parts that a file declares; none where it has no `PARTS`. UsageError where it declares them wrongly."""
    tree = _tree(code)
    declared = [value for name, value in _assigned(tree) if name == DECLARATION]
    if not declared:
        return ()
    if len(declared) > 1:
        raise UsageError(f"{DECLARATION} is assigned {len(declared)} times in the candidate: declare the parts once")
    names = _names(declared[0])
    comments = _comments(code)
    values = _switches(tree, names)
    return tuple(Part(name, comments.get(values[name].lineno, "")) for name in names)


def without(code: str, off: Collection[str]) -> str:
    """The code with the named parts off; UsageError for a name that `read` does not give."""
    if unknown := set(off) - {part.name for part in read(code)}:
        raise UsageError(f"the candidate declares no part {', '.join(sorted(unknown))}")
    lines = code.encode().splitlines(keepends=True)  # ast counts columns in bytes
    for value in _switches(_tree(code), list(off)).values():
        line, start, end = lines[value.lineno - 1], value.col_offset, value.end_col_offset
        lines[value.lineno - 1] = line[:start] + b"False" + line[end:]
    return b"".join(lines).decode()


def _tree(code: str) -> ast.Module:
    try:
        return syntax.read(code)
    except SyntaxError as error:
        raise UsageError(f"the candidate is no Python: {error}") from None


def _assigned(tree: ast.Module) -> list[tuple[str, ast.expr]]:
    """Names assigned at the top level and their values, in order."""
    found = []
    for node in tree.body:
        if isinstance(node, ast.Assign):
            found += [(target.id, node.value) for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            found.append((node.target.id, node.value))
    return found


def _names(value: ast.expr) -> list[str]:
    try:
        names = ast.literal_eval(value)
    except (ValueError, TypeError, RecursionError):  # TypeError: of a list as a key
        names = None
    if not isinstance(names, tuple | list) or not names or not all(isinstance(name, str) for name in names):
        raise UsageError(
            f'{DECLARATION} in the candidate (line {value.lineno}): expected names like ("FOLDED", "FUSED"), '
            f"found {ast.unparse(value)[:60]}"
        )
    if len(set(names)) < len(names):
        raise UsageError(f"{DECLARATION} in the candidate names a part twice: {', '.join(names)}")
    return list(names)


def _switches(tree: ast.Module, names: Collection[str]) -> dict[str, ast.Constant]:
    """The `True` of each part. UsageError unless each is assigned once in the whole file, to True, and read."""
    top = _assigned(tree)
    uses = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    found: dict[str, ast.Constant] = {}
    for name in names:
        values = [value for given, value in top if given == name]
        stores = sum(node.id == name and not isinstance(node.ctx, ast.Load) for node in uses)
        if len(values) != 1 or stores != 1:
            raise UsageError(
                f"part {name}: expected one line `{name} = True` at the top level, found {stores} assignments"
            )
        value = values[0]
        if not isinstance(value, ast.Constant) or value.value is not True:
            raise UsageError(
                f"part {name} (line {value.lineno}) is {ast.unparse(value)[:40]}: expected True, a candidate is given "
                "with all its parts on"
            )
        if not any(node.id == name and isinstance(node.ctx, ast.Load) for node in uses):
            raise UsageError(f"part {name} (line {value.lineno}) is read nowhere, so that switching it changes nothing")
        found[name] = value
    return found


def _comments(code: str) -> dict[int, str]:
    """The comment of each line that ends in one."""
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    return {token.start[0]: token.string.lstrip("# ") for token in tokens if token.type == tokenize.COMMENT}
