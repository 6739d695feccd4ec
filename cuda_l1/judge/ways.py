"""Ways from a candidate's text to code beside its own and libraries', and so to the judge's in its process. Pure.

Such text rejects nobody: small wins of it are not believed (trial), for a tighter loop around the calls saves as much.

NOT covered: native code that finds Python's objects by itself, and what libraries reach by functions of plain names.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from cuda_l1 import syntax
from cuda_l1.judge import signals

_SIGNALS = {"introspection", "native_memory", "obfuscation", "patched", "processes", "files", "at_exit", "unreadable"}
_PLAIN_MODULES = {
    "__future__", "abc", "bisect", "cmath", "collections", "contextlib", "copy", "cupy", "dataclasses", "einops",
    "enum", "functools", "hashlib", "heapq", "itertools", "logging", "math", "numbers", "numpy", "operator", "os",
    "pathlib", "random", "re", "statistics", "string", "struct", "textwrap", "time", "torch", "torchvision", "triton",
    "types", "typing", "typing_extensions", "warnings", "weakref",
}  # fmt: skip
_PLAIN_NAMES = {
    "__add__", "__all__", "__call__", "__constants__", "__enter__", "__exit__", "__file__", "__getattr__",
    "__getitem__", "__init__", "__iter__", "__len__", "__main__", "__mul__", "__name__", "__new__", "__next__",
    "__post_init__", "__repr__", "__setattr__", "__setitem__", "__slots__", "__str__", "__sub__", "__version__",
}  # fmt: skip
_NAMES = {
    "attrgetter", "builtins", "cr_frame", "ctypes", "cuda_l1", "dir", "gc", "gi_frame", "globals", "importlib",
    "inspect", "locals", "methodcaller", "register_at_fork", "sys", "tb_frame", "vars",
}  # fmt: skip
"""Modules that others have as attributes of their own, and what leads to such."""
_NATIVE = re.compile(
    r"\bPy(?!Torch)[A-Z_]\w+|\bpy(bind11)?::(module_?|import|eval|exec|globals)\b|\bdlsym\b|\bsyscall\b|/proc/"
)
_STRINGS_AND_COMMENTS = re.compile(
    r""""(?:\\.|[^"\\])*+(?:"|\Z|\\)|'(?:\\[^'\n]+|[^'\\\n])'|//[^\n]*|/\*.*?(?:\*/|\Z)""", re.DOTALL
)
"""What does not end goes on to the text's end: to look for its end from each of many beginnings would take hours."""


def first(code: str) -> str:
    """The first way that the text shows, with its line; empty where it shows none."""
    for signal in signals.read(code):
        if signal.name in _SIGNALS:
            return f"line {signal.line}: {signal.sentence}"
    tree = syntax.read(code)
    own = {"self", "ctx"} | {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    docs = {id(node.body[0].value) for node in ast.walk(tree) if _has_doc(node)}  # type: ignore[attr-defined]
    for node in ast.walk(tree):
        if id(node) not in docs:
            for word in (*_modules(node), *_names(node), *_changed(node, own), *_native(node)):
                return f"line {getattr(node, 'lineno', 1)}: {word}"
    return ""


def _has_doc(node: ast.AST) -> bool:
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    return isinstance(node, kinds) and ast.get_docstring(node, clean=False) is not None


def _modules(node: ast.AST) -> Iterator[str]:
    """Modules that are not known to be plain ones, and what others hold of such."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        aliases = [alias.name for alias in node.names]
        modules = [node.module or "."] if isinstance(node, ast.ImportFrom) else aliases
        yield from (module for module in modules if module.partition(".")[0] not in _PLAIN_MODULES)
        yield from (name for alias in aliases for name in alias.split(".") if name in _NAMES)


def _names(node: ast.AST) -> Iterator[str]:
    """Of modules, of Python's own, and strings that are one."""
    names: list[str] = []
    if isinstance(node, ast.Attribute):
        names = [node.attr]
    elif isinstance(node, ast.Name):
        names = [node.id]
    elif isinstance(node, ast.MatchClass):
        names = node.kwd_attrs
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        names = [node.value.partition(".")[0]]
    for name in names:
        if name in _NAMES or (name[:2] == name[-2:] == "__" and name.isidentifier() and name not in _PLAIN_NAMES):
            yield name


def _changed(node: ast.AST, own: set[str]) -> Iterator[str]:
    """Attributes that are given to what may be another's: not to the module itself, a class of the text, or a flag."""
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
        name = _dotted(node)
        if name.partition(".")[0] not in own and not name.startswith("torch.backends."):
            yield f"{name} is assigned"
    if isinstance(node, ast.Call) and _dotted(node.func) in ("setattr", "delattr"):
        yield from (name for name in map(_dotted, node.args[:1]) if name.partition(".")[0] not in own)


def _native(node: ast.AST) -> Iterator[str]:
    """Native code that speaks to Python, or reaches its own process."""
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
    if found := _NATIVE.search(_without_comments(text)):
        yield found.group(0)


def _without_comments(source: str) -> str:
    """C++ without its comments; as it is where quotes in a raw string may hide code among them."""
    if 'R"' in source:
        return source
    return _STRINGS_AND_COMMENTS.sub(lambda found: " " if _is_comment(found.group(0)) else found.group(0), source)


def _is_comment(text: str) -> bool:
    return text.startswith("//") or (text.startswith("/*") and text.endswith("*/"))


def _dotted(node: ast.AST) -> str:
    """The names of a chain of attributes and entries; begins with a dot where a call stands in it."""
    names = []
    while isinstance(node, ast.Attribute | ast.Subscript):
        names += [node.attr] if isinstance(node, ast.Attribute) else []
        node = node.value
    return ".".join([node.id if isinstance(node, ast.Name) else "", *reversed(names)])
