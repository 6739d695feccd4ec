"""A file of a package as a text of its own: what it imports by dots (`from .layers import Norm`) is imported by name;
and the files that a text imports from its folder.

Not covered: files beside the package's uppermost folder, and packages that are put together from several folders.
"""

from __future__ import annotations

import ast
import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from cuda_l1 import syntax
from cuda_l1.tasks.text import Edit, edit

_INSTALLED = {"site-packages", "dist-packages"}
_DOTS = re.compile(rb"from\s*(\.[.\s]*)")
_IMPORT = re.compile(r"^[ \t]*((?:from|import)\b(?:[^\n(\\#]*\((?:#[^\n]*|[^)#])*\)|(?:\\\r?\n|[^\n])*))", re.MULTILINE)
"""A statement that begins its line; some are words in a docstring."""


def by_name(text: str, path: Path) -> tuple[str, Path]:
    """The text, and the folder from which it imports: the uppermost one of its package where it names a part of that,
    by dots or in full, else its own. As it is where it is no Python, or no name leads to its folder."""
    own = path.resolve().parent
    try:
        tree = syntax.read(text)
    except SyntaxError:
        return text, own
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    top, parts = _package(own, max((node.level for node in imports), default=0))
    if not parts or not all(part.isidentifier() for part in parts):
        return text, own
    lines = text.split("\n")
    edits = [_named(node, parts, lines[node.lineno - 1].encode()) for node in imports if node.level]
    named = {name.partition(".")[0] for name in _imported(tree)}
    return edit(text, edits), top if edits or parts[0] in named else own


def imported(text: str, folder: Path) -> dict[str, str]:
    """What the text imports from the folder, and what that imports from there: path to text. Each file that a name may
    mean and that can be read, whether or not something installed comes first; none of what is imported by a name made
    while it runs. Nothing where libraries are installed: torch lies there too, of which all would be read."""
    found, tried = dict[str, str](), set[Path]()
    waiting = [(text, folder)] if _INSTALLED.isdisjoint(folder.parts) else []
    while waiting:
        read, own = waiting.pop()
        places = {*_meant(read, own, folder)} - tried
        tried |= places
        for place in places:
            for file in (place.parent / f"{place.name}.py", place / "__init__.py"):
                name = os.path.relpath(file, folder)
                if name in found or name.startswith(os.pardir):
                    continue
                with contextlib.suppress(OSError):  # the import will say so
                    if file.is_file():
                        found[name] = file.read_text(encoding="utf-8", errors="replace")
                        waiting.append((found[name], file.parent))
    return found


def _meant(text: str, own: Path, folder: Path) -> Iterator[Path]:
    """Where modules that a file of folder `own` imports may lie, without their endings. The folder is a package of its
    own name, too (siblings)."""
    for node in _imports(text):
        if isinstance(node, ast.Import):
            names, bases = [alias.name for alias in node.names], [folder]
        elif isinstance(node, ast.ImportFrom):
            names = [".".join(filter(None, [node.module, alias.name])) for alias in node.names]
            bases = [[folder, own, *own.parents][node.level]] if node.level <= len(own.parents) + 1 else []
        else:
            continue
        for base in bases:
            for name in names:
                parts = name.split(".")
                yield from (base.joinpath(*parts[: count + 1]) for count in range(len(parts)))
                if base is folder and parts[0] == folder.name:
                    yield from (folder.joinpath(*parts[1 : count + 1]) for count in range(len(parts)))


def _imports(text: str) -> Iterator[ast.stmt]:
    """Of a text, which is not read as a whole: a checkout of 2,477 files took 20 s so, and takes 3."""
    for statement in dict.fromkeys(match[1] for match in _IMPORT.finditer(text)):
        with contextlib.suppress(SyntaxError):
            yield from syntax.read(statement).body


def _package(folder: Path, deepest: int) -> tuple[Path, list[str]]:
    """The uppermost folder of a package that holds this one, and its parts' names from there. A package's folder has an
    `__init__.py`, or so many dots lead out of it."""
    top, parts = folder, list[str]()
    while len(parts) < deepest or (folder != folder.parent and (folder / "__init__.py").is_file()):
        top, folder = folder, folder.parent
        parts.insert(0, top.name)
    return top, parts


def _named(node: ast.ImportFrom, parts: list[str], line: bytes) -> Edit:
    """An edit of `from ..blocks import`: the names that its dots stand for."""
    dots = _DOTS.match(line, node.col_offset)
    start, end = dots.span(1) if dots else (node.col_offset, node.col_offset)
    names = ".".join([*parts[: len(parts) - node.level + 1], *([""] if node.module else [])])
    return Edit(node.lineno, start, node.lineno, end, names if node.module else f"{names} ")


def _imported(tree: ast.Module) -> list[str]:
    """Modules that the text imports by name."""
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.append(node.module or "")
    return names
