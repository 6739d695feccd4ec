"""Sizes of a task: module-level constants, given other values in the source itself, so that its digest names its size.

A source may hold `SIZES = {"cpu": {"N": 2048}, "cuda": {"N": 4096}}`; the values of the device asked for are written
into the constants named, then those of `--set`. All other text stays as it is.
Not covered: constants computed from other names or by calls (those stay true by themselves), and values that are no
Python literals.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from cuda_l1.errors import TaskError
from cuda_l1.tasks.text import edit, parse, replacing

_DEVICES = ("cpu", "cuda")


def resize(source: str, device: str, sizes: Mapping[str, str], name: str) -> str:
    """The source with its constants sized for `device`, then as `sizes` (name to the text of a literal) says."""
    tree = parse(source, name)
    constants = _constants(tree)
    wanted = dict(_declared(tree, name).get(device.partition(":")[0], {}))
    for key in wanted:
        if key not in constants:
            raise TaskError(f"{name}: SIZES names {key}, which is {_not_a_constant(key, constants)}")
    for key, text in sizes.items():
        if key not in constants:
            raise TaskError(f"{name}: size {key}={text}: {key} is {_not_a_constant(key, constants)}")
        try:
            ast.literal_eval(text)
            wanted[key] = ast.unparse(ast.parse(text.strip(), mode="eval"))  # of infinity `repr` is no literal
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):  # TypeError: of a list as a key
            said = f"{name}: size {key}={text}: {text!r} is no Python literal; expected e.g. {key}=1024"
            raise TaskError(said) from None
    return edit(source, [replacing(constants[key], text) for key, text in wanted.items()])


def _constants(tree: ast.Module) -> dict[str, ast.expr]:
    """Name to its value, where the value uses no name and no call; the last assignment counts."""
    found: dict[str, ast.expr] = {}
    for target, value in _assignments(tree):
        pairs = [(target, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = list(zip(target.elts, value.elts, strict=False))
        for one, its in pairs:
            fixed = not any(isinstance(part, ast.Name | ast.Call) for part in ast.walk(its))
            if isinstance(one, ast.Name) and one.id != "SIZES" and fixed:
                found[one.id] = its
    return found


def _assignments(tree: ast.Module) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Target and value of each top-level assignment with one target; `a = b = 1` has two and is left alone."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            yield node.targets[0], node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield node.target, node.value


def _declared(tree: ast.Module, name: str) -> dict[str, dict[str, str]]:
    """The source's SIZES, values as their text: of infinity `repr` is no literal. Empty without one."""
    for target, value in _assignments(tree):
        if ast.unparse(target) != "SIZES":
            continue
        try:
            sizes = ast.literal_eval(value)
        except (ValueError, TypeError):  # TypeError: of a list as a key
            sizes = None
        if not isinstance(sizes, dict) or not all(isinstance(each, dict) for each in sizes.values()):
            raise TaskError(
                f"{name}, line {target.lineno}: SIZES must be a literal dict of dicts, as in "
                'SIZES = {"cpu": {"N": 2048}, "cuda": {"N": 4096}}'
            )
        if unknown := sorted(set(map(str, sizes)) - set(_DEVICES)):
            raise TaskError(f"{name}, line {target.lineno}: SIZES has {', '.join(unknown)}; its keys are cpu and cuda")
        return {device: {key: ast.unparse(its) for key, its in _items(each)} for device, each in _items(value)}
    return {}


def _items(literal: ast.expr) -> Iterator[tuple[Any, ast.expr]]:
    """Of a literal dict."""
    assert isinstance(literal, ast.Dict)
    return ((ast.literal_eval(key), value) for key, value in zip(literal.keys, literal.values, strict=True) if key)


def _not_a_constant(key: str, constants: Mapping[str, ast.expr]) -> str:
    near = difflib.get_close_matches(key, constants, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    listed = ", ".join(constants) or f"none. Write {key} = 64 into the file, and {key} where it counts, in --inputs too"
    return f"no module-level constant with a literal value.{hint} The source has: {listed}"
