"""A function, or a class of another name, as the module that a task or a candidate must define.

Not covered: functions that an assignment makes (`f = torch.compile(g)`), whose arguments no text says.
"""

from __future__ import annotations

import ast
from collections.abc import Container
from pathlib import Path

from cuda_l1.errors import TaskError
from cuda_l1.tasks.text import function, names, parse


def module_of(text: str, called: str, wanted: str, path: Path) -> str:
    """The text, and a class `wanted` whose forward is its function `called`, or that is its class of this name.
    TaskError where it has no such, or `wanted` is something else there."""
    tree = parse(text, str(path))
    kinds = names(tree).kinds
    is_class, made = kinds.get(called) == "class", function(tree, None, called)
    if is_class and called == wanted:
        return text
    if not is_class and made is None:
        known = [name for name, kind in kinds.items() if kind in ("class", "function")]
        of = f"{called} is a {kinds[called]}" if called in kinds else f"it has {', '.join(known) or 'neither'}"
        raise TaskError(f"{path} has no class or function {called} at its top level; {of}")
    if wanted in kinds and (is_class or called != wanted):
        raise TaskError(f"{path}: {wanted} must be free for {called}, and it is a {kinds[wanted]} there: rename that")
    if made is None:
        return f"{text.rstrip()}\n\n\nclass {wanted}({called}):\n    pass\n"
    given = made.args
    own = [each.arg for each in (*given.posonlyargs, *given.args)]
    passed = [*own, *(f"*{each.arg}" for each in [given.vararg] if each)]
    passed += [f"{each.arg}={each.arg}" for each in given.kwonlyargs]
    passed += [f"**{each.arg}" for each in [given.kwarg] if each]
    torch = "" if kinds.get("torch") == "torch" else "import torch\n\n\n"
    taken = {each.arg for each in ast.walk(given) if isinstance(each, ast.arg)}
    this, its = _free("self", taken), called
    if called in taken or called == wanted:
        its = _free(called, {*taken, *kinds})
    named = "" if its == called else f"{its} = {called}\n\n\n"
    takes = ", ".join(filter(None, [this, ast.unparse(given)]))
    return (
        f"{text.rstrip()}\n\n\n{torch}{named}class {wanted}(torch.nn.Module):\n"
        f"    def forward({takes}):\n        return {its}({', '.join(passed)})\n"
    )


def _free(name: str, taken: Container[str]) -> str:
    """It, or what is like it and none of these."""
    while name in taken:
        name += "_"
    return name
