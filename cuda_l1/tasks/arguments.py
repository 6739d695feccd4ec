"""Arguments given on the command line, `'x=randn(64, 4096, bf16), k=3'`, as the body of get_inputs or get_init_inputs.

The text is a call's arguments in Python. `randn`, `rand`, `randint`, `zeros`, `ones`, `full`, `arange`, `eye` and
`tensor` are torch's, and `bf16`, `fp16`, `fp32`, `fp64`, `int64`, `int32` and `bool` may stand last in them for a
dtype.
Names are the parameters of the method they are for, so their order does not matter. What `forward` takes by keyword
only makes a dict of them, and what `__init__` takes so stands in a dict behind the others.
"""

from __future__ import annotations

import ast
from collections.abc import Container

from cuda_l1 import syntax
from cuda_l1.errors import TaskError

_FACTORIES = {"randn", "rand", "randint", "zeros", "ones", "full", "arange", "eye", "tensor"}
_DTYPES = {
    "bf16": "bfloat16", "fp16": "float16", "fp32": "float32", "fp64": "float64",
    "int64": "int64", "int32": "int32", "bool": "bool",
}  # fmt: skip


def listed(spec: str, method: ast.FunctionDef | None, taken: Container[str], option: str) -> str:
    """The text of a list of the arguments, in the method's order, or where it takes some by keyword only of a dict (for
    `forward`), or of a list and a dict (for `__init__`). Names in `taken` are the source's own.

    Without a `method` (it is imported) what is named goes by name, and `forward`'s in the order of the text where some
    have none.
    """
    try:
        text = f"f({spec.replace(';', ',')})"
        match syntax.read(text).body:
            case [ast.Expr(ast.Call(func=ast.Name()) as call)] if ast.get_source_segment(text, call) == text:
                pass
            case _:
                raise SyntaxError("its brackets do not match")
    except SyntaxError as error:
        raise TaskError(
            f"{option} {spec!r} does not read: {syntax.reason(error)}. Expected a function's name, file.py:function, "
            "or arguments as in 'x=randn(64, 4096)'"
        ) from None
    positional = [_torched(value, taken) for value in call.args]
    named = {word.arg or "**": _torched(word.value, taken) for word in call.keywords}
    by_name: dict[str, str] = {}
    if method is not None:
        by_name = _by_name(named, method, f"{option} {spec!r}")
        positional = _ordered(positional, named, method, f"{option} {spec!r}")
    elif option == "--init" or not positional:
        by_name = named
    else:
        positional += named.values()
    if not by_name:
        return f"[{', '.join(positional)}]"
    if option == "--init":
        return f"[[{', '.join(positional)}], {_dict(by_name)}]"
    names = _names(method) if method else []
    if len(positional) > len(names) or (method and method.args.posonlyargs[1:][: len(positional)]):
        raise TaskError(f"{option} {spec!r} gives some by place alone and others by name alone")
    return _dict(dict(zip(names, positional, strict=False)) | by_name)


def _dict(named: dict[str, str]) -> str:
    return f"dict({', '.join(f'{name}={value}' if name != '**' else f'**{value}' for name, value in named.items())})"


def parameters(method: ast.FunctionDef) -> str:
    """How a method's arguments read, without self."""
    arguments = ast.unparse(method.args).partition(",")[2].strip()
    return f"({arguments})"


def _by_name(named: dict[str, str], method: ast.FunctionDef, option: str) -> dict[str, str]:
    """What the method takes by keyword only, or by `**`, taken out of what is `named`."""
    found: dict[str, str] = {}
    for argument, default in zip(method.args.kwonlyargs, method.args.kw_defaults, strict=True):
        if argument.arg in named:
            found[argument.arg] = named.pop(argument.arg)
        elif default is None:
            raise TaskError(f"{option} gives no {argument.arg}; {method.name} takes {parameters(method)}")
    if method.args.kwarg:
        found |= {name: named.pop(name) for name in [*named] if name not in _names(method)}
    return found


def _names(method: ast.FunctionDef) -> list[str]:
    return [argument.arg for argument in (*method.args.posonlyargs, *method.args.args)][1:]


def _ordered(positional: list[str], named: dict[str, str], method: ast.FunctionDef, option: str) -> list[str]:
    names = _names(method)
    defaults = dict(zip(reversed(names), map(ast.unparse, reversed(method.args.defaults)), strict=False))
    takes = f"{method.name} takes {parameters(method)}"
    if len(positional) > len(names) and method.args.vararg is None:
        raise TaskError(f"{option} gives {len(positional)} arguments; {takes}")
    given = dict(zip(names, positional, strict=False))
    for name, value in named.items():
        if name not in names or name in given:
            problem = f"gives {name} twice" if name in given else f"names {name}"
            raise TaskError(f"{option} {problem}; {takes}")
        given[name] = value
    last = max((names.index(name) + 1 for name in given), default=0)
    ordered: list[str] = []
    for index, name in enumerate(names):
        if name in given:
            ordered.append(given[name])
        elif name not in defaults:
            raise TaskError(f"{option} gives no {name}; {takes}")
        elif index < last:
            ordered.append(defaults[name])
    return [*ordered, *positional[len(names) :]]


def _torched(value: ast.expr, taken: Container[str]) -> str:
    return ast.unparse(_Torched(taken).visit(value))


class _Torched(ast.NodeTransformer):
    """Puts `torch.` before short names that the source does not use for something of its own."""

    def __init__(self, taken: Container[str]) -> None:
        self.taken = taken

    def visit_Call(self, node: ast.Call) -> ast.Call:
        if isinstance(node.func, ast.Name) and node.func.id in _FACTORIES and node.func.id not in self.taken:
            last = node.args[-1] if node.args else None
            if isinstance(last, ast.Name) and last.id in _DTYPES and last.id not in self.taken:
                node.keywords.append(ast.keyword("dtype", node.args.pop()))
            node.func = ast.Attribute(ast.Name("torch"), node.func.id)
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in _DTYPES and node.id not in self.taken:
            return ast.Attribute(ast.Name("torch"), _DTYPES[node.id])
        return node
