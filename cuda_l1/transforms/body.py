"""The statements of a rewritten forward, as close to those of the task as the rewrite allows.

What one statement of the task's forward computes stays in one where it can, under the name that it had there; what a
rewrite made anew goes into the next operation if only that uses it, or takes the name of an argument that is dead.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import operator
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import fx, nn
from torch._jit_internal import boolean_dispatched

from cuda_l1.transforms.program import DeclineError, Kernel, Prepared, Program

INFIX = {
    operator.add: "+",
    operator.sub: "-",
    operator.mul: "*",
    operator.truediv: "/",
    operator.floordiv: "//",
    operator.mod: "%",
    operator.pow: "**",
    operator.matmul: "@",
    operator.and_: "&",
    operator.or_: "|",
    operator.xor: "^",
    operator.lshift: "<<",
    operator.rshift: ">>",
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.eq: "==",
    operator.ne: "!=",
    operator.iadd: "+",
    operator.isub: "-",
    operator.imul: "*",
    operator.itruediv: "/",
}
PREFIX = {operator.neg: "-", operator.invert: "~", operator.pos: "+"}
WIDTH = 100
RESERVED = {"self", "torch", "F"}


class Statement(NamedTuple):
    """One of the task's forward: its first line, and the names that it assigns to; none for anything but names."""

    line: int
    targets: tuple[str, ...]


def statements(forward: ast.FunctionDef) -> dict[int, Statement]:
    """By each line of a simple statement."""
    found: dict[int, Statement] = {}
    for node in ast.walk(forward):
        if not isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Return | ast.Expr):
            continue
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        parts = target.elts if isinstance(target, ast.Tuple) else [target]
        names = tuple(part.id for part in parts if isinstance(part, ast.Name))
        said = Statement(node.lineno, names if len(names) == len(parts) else ())
        found |= dict.fromkeys(range(node.lineno, (node.end_lineno or node.lineno) + 1), said)
    return found


class Body:
    """The statements of forward: see above."""

    def __init__(self, program: Program, names: dict[str, str], written: Mapping[int, Statement]):
        self.program = program
        self.names = names
        self.written = written
        """The task's own statements by line."""
        self.text: dict[fx.Node, str] = {}
        self.prepared: list[str] = []
        """The statements, before all others, that look up what is made from weights."""
        nodes = list(program.graph.nodes)
        self.reserved = RESERVED | {node.target.__name__ for node in nodes if isinstance(node.target, Kernel)}
        self.order = {node: index for index, node in enumerate(nodes)}
        self.last = {node: max((self.order[user] for user in node.users), default=-1) for node in nodes}

    def lines(self) -> list[str]:
        result: list[str] = []
        taken = set(self.names.values()) | self.reserved
        for node in self.program.graph.nodes:
            if node in self.text:
                continue
            if node.op == "placeholder":
                self.text[node] = str(node.target)
                continue
            if node.op == "get_attr":
                self.text[node] = self.path(str(node.target))
                continue
            if node.op == "output":
                result.append(f"return {self.format(node.args[0])}")
                continue
            expression = self.expression(node)
            if parts := self._unpacked(node):
                self.text |= parts
                taken |= set(parts.values())
                result.append(f"{', '.join(parts.values())} = {expression}")
                continue
            if self._inlines(node, expression):
                self.text[node] = expression
                continue
            name = self._name(node, taken)
            self.text[node] = name
            target = self.prepared if isinstance(node.target, Prepared) else result
            target.append(f"{name} = {expression}")
        return result

    def _inlines(self, node: fx.Node, expression: str) -> bool:
        if isinstance(node.target, Prepared) or len(node.users) != 1 or len(expression) > WIDTH - 30:
            return False
        user = next(iter(node.users))
        following = node.next
        while following.op == "get_attr":
            following = following.next
        uses = sum(argument is node for argument in _flat(user.args, user.kwargs))
        return user is following and uses == 1 and not self._ends(node)

    def _statement(self, node: fx.Node) -> Statement | None:
        return self.written.get(node.meta.get("line", 0))

    def _ends(self, node: fx.Node) -> bool:
        """Whether it is the value of an assignment of the task's own to one name, and stays in its place."""
        own = None if isinstance(node.target, Prepared) else self._statement(node)
        return own is not None and len(own.targets) == 1 and all(self._statement(u) != own for u in node.users)

    def _unpacked(self, node: fx.Node) -> dict[fx.Node, str]:
        """By part its name, where the task unpacks the value and nobody uses it as a whole; else empty."""
        own = self._statement(node)
        if own is None or len(own.targets) < 2:
            return {}
        parts = {u.args[1]: u for u in node.users if u.target is operator.getitem and isinstance(u.args[1], int)}
        if parts.keys() != set(range(len(own.targets))) or len(parts) != len(node.users):
            return {}
        if any(self._statement(part) != own for part in parts.values()) or not self._free(own.targets, node):
            return {}
        return {parts[index]: name for index, name in enumerate(own.targets)}

    def _free(self, names: tuple[str, ...], node: fx.Node) -> bool:
        """Whether nothing that is used after the node has one of these names, and none means something else."""
        taken = self._live(node) | self.reserved
        return len(set(names)) == len(names) and not any(name in taken or hasattr(builtins, name) for name in names)

    def _live(self, node: fx.Node) -> set[str]:
        return {self.text[n] for n in self.text if self.last[n] > self.order[node]} | self._inside(node)

    def _name(self, node: fx.Node, taken: set[str]) -> str:
        """The task's own; else a dead argument's if there is one, as a person would write it; else a new one."""
        own = self._statement(node)
        if own is not None and self._ends(node) and self._free(own.targets, node):
            taken.add(own.targets[0])
            return own.targets[0]
        live = self._live(node)
        for argument in node.all_input_nodes:
            text = self.text[argument]
            if argument.op == "placeholder" and self._shape(argument) != self._shape(node):
                continue
            if isinstance(argument.target, Prepared):
                continue
            if text.isidentifier() and text not in live | self.reserved:
                return text
        name = re.sub("__+", "_", node.name)
        while name in taken or hasattr(builtins, name):
            name += "_"
        taken.add(name)
        return name

    def _shape(self, node: fx.Node) -> Any:
        return getattr(self.program.value_of(node), "shape", None)

    def _inside(self, node: fx.Node) -> set[str]:
        """Names in expressions that are not yet written out because they were put into a later one."""
        found: set[str] = set()
        for other, text in self.text.items():
            if not text.isidentifier() and self.last[other] > self.order[node] and other.op != "get_attr":
                found |= {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)}
        return found

    def path(self, target: str) -> str:
        """`self.layers[0].weight` for `layers.0.weight`."""
        text, module = "self", self.program.model
        for atom in target.split("."):
            indexable = isinstance(module, nn.Sequential | nn.ModuleList) and atom.isdigit()
            text += f"[{atom}]" if indexable else f"[{atom!r}]" if isinstance(module, nn.ModuleDict) else f".{atom}"
            module = getattr(module, atom)
        return text

    def expression(self, node: fx.Node) -> str:
        if node.op == "call_module":
            return f"{self.path(str(node.target))}({self._arguments(node.args, node.kwargs)})"
        if node.op == "call_method":
            return f"{self._atom(node.args[0])}.{node.target}({self._arguments(node.args[1:], node.kwargs)})"
        target = node.target
        if target in INFIX:
            left, right = node.args
            return f"{self._atom(left)} {INFIX[target]} {self._atom(right)}"
        if target in PREFIX:
            return f"{PREFIX[target]}{self._atom(node.args[0])}"
        if target is operator.getitem:
            return f"{self._atom(node.args[0])}[{self._index(node.args[1])}]"
        if target is getattr:
            return f"{self._atom(node.args[0])}.{node.args[1]}"
        if isinstance(target, Prepared):
            sources = ", ".join(self.format(a) for a in node.args)
            return f"self._prepared({target.__name__!r}, {target.text}, {sources})"
        said = {name: value for name, value in node.kwargs.items() if not _is_default(target, name, value)}
        return f"{function_name(target)}({self._arguments(node.args, said)})"

    def _arguments(self, args: Any, kwargs: Any) -> str:
        parts = [self.format(a) for a in args] + [f"{k}={self.format(v)}" for k, v in kwargs.items()]
        return ", ".join(parts)

    def _atom(self, value: Any) -> str:
        """The value's text, in parentheses unless it stands by itself."""
        text = self.format(value)
        parsed = ast.parse(text, mode="eval").body
        simple = isinstance(parsed, ast.Name | ast.Attribute | ast.Subscript | ast.Call | ast.Constant)
        return text if simple else f"({text})"

    def _index(self, value: Any) -> str:
        parts = value if isinstance(value, tuple) else (value,)
        return ", ".join(self._slice(p) if isinstance(p, slice) else self.format(p) for p in parts) + (
            "," if isinstance(value, tuple) and len(value) == 1 else ""
        )

    def _slice(self, value: slice) -> str:
        parts = ["" if v is None else self.format(v) for v in (value.start, value.stop)]
        return ":".join(parts) + ("" if value.step is None else f":{self.format(value.step)}")

    def format(self, value: Any) -> str:
        match value:
            case fx.Node():
                return self.text[value]
            case tuple():
                return f"({', '.join(map(self.format, value))}{',' if len(value) == 1 else ''})"
            case list():
                return f"[{', '.join(map(self.format, value))}]"
            case dict():
                return "{" + ", ".join(f"{k!r}: {self.format(v)}" for k, v in value.items()) + "}"
            case float() if value != value or value in (float("inf"), float("-inf")):
                return f"float({str(value)!r})"
            case bool() | int() | float() | str() | None | torch.dtype() | torch.memory_format() | torch.layout():
                return str(value) if isinstance(value, torch.memory_format) else repr(value)
            case torch.device():
                return f"torch.device({str(value)!r})"
            case slice():
                return f"slice({self.format(value.start)}, {self.format(value.stop)}, {self.format(value.step)})"
        if value is Ellipsis:
            return "..."
        raise DeclineError(f"the graph holds a {type(value).__name__}, which has no text")


def _is_default(function: Any, name: str, value: Any) -> bool:
    """Whether it is what the function takes by itself; tracing writes all of them out."""
    default = _defaults(function).get(name, inspect.Parameter.empty)
    return type(default) is type(value) and not isinstance(value, fx.Node) and bool(default == value)


@functools.cache
def _defaults(function: Any) -> dict[str, Any]:
    try:
        chosen = boolean_dispatched.get(function, {}).get("if_false", function)  # pools, with or without indices
        parameters = inspect.signature(chosen).parameters.values()
    except (TypeError, ValueError):  # a builtin says nothing of them
        return {}
    return {parameter.name: parameter.default for parameter in parameters}


def _flat(*values: Any) -> list[Any]:
    found: list[Any] = []
    fx.node.map_arg(values, found.append)
    return found


def function_name(target: Any) -> str:
    """How the emitted source names a function: where it has its own name, or another one, as `torch.linalg.inv`, which
    calls itself linalg_inv."""
    name = getattr(target, "__name__", "")
    if isinstance(target, Kernel) or getattr(builtins, name, None) is target:
        return name
    libraries = {"torch": torch, "F": nn.functional}
    libraries |= {f"torch.{part.__name__[6:]}": part for part in (torch.linalg, torch.special, torch.fft)}
    for names in ([name], None):
        for prefix, module in libraries.items():
            for each in names or vars(module):
                if getattr(module, each, None) is target and not each.startswith("_"):
                    return f"{prefix}.{each}"
    raise DeclineError(f"the graph calls {name or target!r}, which has no public name in torch")
