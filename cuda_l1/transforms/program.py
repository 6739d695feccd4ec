"""A task's forward as a graph that techniques rewrite, evaluated on the meta device.

A Program is the task's module on the meta device (no memory, whatever its size), an fx graph of its forward, and in
every node the shape and dtype of its value (`node.meta["value"]`) and the line of the task's forward that it comes from
(`node.meta["line"]`). Not covered: how one is made (tracing.py).
"""

from __future__ import annotations

import copy
import inspect
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import torch
from torch import fx, nn

from cuda_l1.types import Language, Task


class DeclineError(Exception):
    """A technique, or all of them, cannot be applied; the message is the reason."""


class Prepared:
    """Function of weights alone. The emitted code keeps its value until a weight is replaced or changed in place."""

    def __init__(self, name: str, text: str):
        self.__name__ = name
        self.text = text
        self._function = eval(text, {"torch": torch})

    def __call__(self, *sources: torch.Tensor) -> Any:
        return self._function(*sources)


class Kernel:
    """Function that the emitted code defines by itself; `meaning` gives the value's shape here."""

    def __init__(self, name: str, meaning: Callable[..., Any]):
        self.__name__ = name
        self._meaning = meaning

    def __call__(self, *arguments: Any) -> Any:
        return self._meaning(*arguments)


@dataclass
class Program:
    """What a technique rewrites, in place."""

    task: Task
    device: str
    model: nn.Module
    graph: fx.Graph
    inputs: dict[str, Any]
    """Forward's arguments by name: meta tensors, and constants."""
    language: Language = "torch"
    helpers: list[str] = field(default_factory=list)
    """Module-level source that forward needs, such as a kernel."""
    guards: list[str] = field(default_factory=list)
    """Conditions under which the emitted forward must run the code as it was written."""
    wrapper: str = ""
    """What runs forward: empty, `graph` or `compile`."""
    plain: bool = False
    """Whether it is for the task's own shapes and mode alone: no guards, and no forward as it was written."""

    @property
    def is_cuda(self) -> bool:
        return self.device.startswith("cuda")

    @property
    def has_modes(self) -> bool:
        """Whether train and eval mode may give different outputs: as far as can be told from sources, yes."""
        if "training" in self.task.source or self.task.import_path:
            return True
        return any(_asks_for_mode(type(module)) for module in self.model.modules() if module is not self.model)

    def copy(self) -> Program:
        """The same with a graph of its own; the module is shared, techniques do not change it."""
        other = copy.copy(self)
        other.graph = fx.Graph()
        memo: dict[fx.Node, fx.Node] = {}
        result = other.graph.graph_copy(self.graph, memo)
        other.graph.output(result)
        other.helpers, other.guards = list(self.helpers), list(self.guards)
        other.propagate()
        return other

    def propagate(self) -> None:
        """Give every node its value on the meta device."""
        for node in self.graph.nodes:
            node.meta["value"] = evaluate(node, self.model, self.inputs)

    def value_of(self, node: fx.Node) -> Any:
        """The node's value; computed when a technique has just made the node."""
        if "value" not in node.meta:
            for argument in node.all_input_nodes:
                self.value_of(argument)
            node.meta["value"] = evaluate(node, self.model, self.inputs)
        return node.meta["value"]

    def module_of(self, node: fx.Node) -> Any:
        """The submodule that a node calls, or None."""
        return self.model.get_submodule(str(node.target)) if node.op == "call_module" else None

    @property
    def output(self) -> fx.Node:
        last: fx.Node = next(iter(reversed(self.graph.nodes)))
        return last


def _asks_for_mode(kind: Any) -> bool:
    """Whether the source of a module's class asks in which mode it is; what has no source may."""
    try:
        return any(".training" in inspect.getsource(base) for base in kind.__mro__[: kind.__mro__.index(nn.Module)])
    except (OSError, TypeError):
        return True


def attribute(model: nn.Module, path: str) -> Any:
    """`model.a.b` for the path `a.b`."""
    return operator.attrgetter(path)(model) if path else model


def evaluate(node: fx.Node, model: nn.Module, inputs: dict[str, Any]) -> Any:
    """The node's value on the meta device, from those of its arguments."""
    args, kwargs = fx.node.map_arg((node.args, node.kwargs), lambda n: n.meta["value"])
    with torch.device("meta"), torch.no_grad():
        match node.op:
            case "placeholder":
                name = str(node.target)  # fx numbers those that are constants
                return inputs[name if name in inputs else name.rpartition("_")[0]]
            case "get_attr":
                return attribute(model, str(node.target))
            case "call_module":
                module = model.get_submodule(str(node.target))
                return (
                    _of_recurrent(module, cast(torch.Tensor, args[0]))
                    if isinstance(module, nn.RNNBase)
                    else module(*args, **kwargs)
                )
            case "call_method":
                return getattr(args[0], str(node.target))(*args[1:], **kwargs)
            case "call_function":
                assert callable(node.target)
                return node.target(*args, **kwargs)
            case _:
                return args[0]


def _of_recurrent(module: nn.RNNBase, x: torch.Tensor) -> Any:
    """What nn.LSTM, nn.GRU or nn.RNN return: torch would run all their steps one by one, for minutes, to say it."""
    directions, width = 2 if module.bidirectional else 1, module.proj_size or module.hidden_size
    batch = () if x.dim() == 2 else (x.shape[0 if module.batch_first else 1],)
    out = x.new_empty(*x.shape[:-1], directions * width)
    hidden = x.new_empty(module.num_layers * directions, *batch, width)
    if not isinstance(module, nn.LSTM):
        return out, hidden
    return out, (hidden, x.new_empty(module.num_layers * directions, *batch, module.hidden_size))


def prepared(program: Program, name: str, text: str, paths: list[str]) -> fx.Node:
    """A constant made from the weights at `paths` by the lambda `text`, at the graph's start; equal ones are one."""
    graph = program.graph
    for node in graph.nodes:
        if isinstance(node.target, Prepared) and node.target.__name__ == name:
            if node.target.text == text and [source.target for source in node.args] == paths:
                found: fx.Node = node
                return found
            name += "_"
    skipped = ("placeholder", "get_attr")
    start = next(n for n in graph.nodes if n.op not in skipped and not isinstance(n.target, Prepared))
    with graph.inserting_before(start):
        sources = tuple(graph.get_attr(path) for path in paths)
        return graph.call_function(Prepared(name, text), sources)
