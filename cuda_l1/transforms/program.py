"""A task's forward as a graph that techniques rewrite: traced with known shapes, evaluated on the meta device.

A Task goes in, a Program comes out: the task's module on the meta device (no memory, whatever its size), an fx graph of
its forward, and in every node the shape and dtype of its value (`node.meta["value"]`) and the line of the task's
forward that it comes from (`node.meta["line"]`). Shapes are constants of the graph, so loops over a dimension are
unrolled. Not covered: code that branches on values; it is declined.
"""

from __future__ import annotations

import copy
import inspect
import operator
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import torch
from torch import fx, nn
from torch.overrides import TorchFunctionMode

from cuda_l1 import constructor, siblings
from cuda_l1.types import Language, Task

MAX_NODES = 4000
"""A longer graph is an unrolled loop that nobody could read."""


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


class _Known(fx.Proxy):
    """A proxy that knows its value's shape and dtype and answers with them."""

    def __getattr__(self, name: str) -> Any:
        value = self.node.meta.get("value")
        if isinstance(value, torch.Tensor):
            if name in ("shape", "ndim", "dtype", "requires_grad"):
                return getattr(value, name)
            if name in ("size", "dim", "numel", "is_floating_point", "element_size", "ndimension"):
                return getattr(value, name)
            if name == "is_cuda":
                return self.tracer.cuda  # type: ignore[attr-defined]
        return super().__getattr__(name)

    def __len__(self) -> int:
        return len(self.node.meta["value"])

    def __setitem__(self, index: Any, value: Any) -> None:
        raise DeclineError("forward assigns to a part of a tensor")

    def __iadd__(self, other: Any) -> Any:
        return self.tracer.create_proxy("call_function", operator.iadd, (self, other), {})

    def __isub__(self, other: Any) -> Any:
        return self.tracer.create_proxy("call_function", operator.isub, (self, other), {})

    def __imul__(self, other: Any) -> Any:
        return self.tracer.create_proxy("call_function", operator.imul, (self, other), {})

    def __itruediv__(self, other: Any) -> Any:
        return self.tracer.create_proxy("call_function", operator.itruediv, (self, other), {})

    def __iter__(self) -> Any:
        return iter([operator.getitem(self, index) for index in range(len(self))])


class _Factories(TorchFunctionMode):
    """Records calls that make tensors from numbers, and those on the module's own weights, which fx would compute."""

    def __init__(self, tracer: _Tracer):
        super().__init__()
        self.tracer = tracer

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name: str = getattr(func, "__name__", "")
        if self.tracer.evaluating or name in ("__get__", "__set__") or any(issubclass(t, fx.Proxy) for t in types):
            return func(*args, **kwargs)
        with torch.device("meta"):
            plain = [k for k, v in kwargs.items() if not isinstance(v, fx.Proxy)]
            if len(plain) == len(kwargs):
                result = func(*args, **kwargs)
                if not isinstance(result, torch.Tensor):
                    return result
        public: Any = getattr(torch, name, None) or getattr(nn.functional, name, None)
        if public is func:
            return self.tracer.create_proxy("call_function", func, args, kwargs)
        return self.tracer.create_proxy("call_method", str(name), args, kwargs)


class _Tracer(fx.Tracer):
    proxy_buffer_attributes = True

    def __init__(self, inputs: dict[str, Any], cuda: bool, source: str):
        super().__init__()
        self.inputs = inputs
        self.source = source
        """The name under which the task's source was compiled."""
        self.cuda = cuda
        self.evaluating = False
        self.shadow: nn.Module

    def trace(self, root: Any, concrete_args: dict[str, Any] | None = None) -> fx.Graph:
        self.shadow = copy.deepcopy(root)
        with _Factories(self):
            return super().trace(root, concrete_args)

    def proxy(self, node: fx.Node) -> fx.Proxy:
        return _Known(node, self)

    def create_node(self, *args: Any, **kwargs: Any) -> fx.Node:
        node = super().create_node(*args, **kwargs)
        node.meta["line"] = self._line()
        if node.op == "get_attr" and str(node.target).startswith("_tensor_constant"):
            raise DeclineError("forward uses a tensor that is neither an input nor one of the module's own")
        if len(self.graph.nodes) > MAX_NODES:
            raise DeclineError(f"the graph has more than {MAX_NODES} operations")
        self.evaluating = True
        try:
            node.meta["value"] = evaluate(node, self.shadow, self.inputs)
        finally:
            self.evaluating = False
        return node

    def _line(self) -> int:
        """At which line the task's own forward is; 0 outside it."""
        line, frame = 0, inspect.currentframe()
        while frame is not None:
            if frame.f_code.co_filename == self.source:
                line = frame.f_lineno
            frame = frame.f_back
        return line

    def call_module(self, m: nn.Module, forward: Any, args: Any, kwargs: Any) -> Any:
        if self.evaluating:
            return forward(*args, **kwargs)
        return super().call_module(m, forward, args, kwargs)


def trace(task: Task, device: str) -> Program:
    """The task's forward as a Program without operations in place. DeclineError where that is impossible."""
    from cuda_l1.transforms.purity import purify  # it needs Program

    model, given = _made(task)
    if isinstance(given, dict):
        raise DeclineError("its inputs are given by name")
    model.train(task.mode == "train")
    inputs = _named(model, list(given))
    before = _held(model)
    constants = {name: value for name, value in inputs.items() if not isinstance(value, torch.Tensor)}
    try:
        graph = _Tracer(inputs, device.startswith("cuda"), task.name).trace(model, concrete_args=constants)
    except DeclineError:
        raise
    except Exception as error:
        raise DeclineError(f"fx cannot trace its forward: {_line(error)}") from error
    _check_held(before, _held(model))
    _plain(graph)
    program = Program(task=task, device=device, model=model, graph=graph, inputs=inputs)
    purify(program)
    return program


def _made(task: Task) -> tuple[nn.Module, Any]:
    """Its module, on the meta device, and what `forward` is given. The source stands among the modules meanwhile:
    dataclasses look their annotations up there."""
    its = types.ModuleType("task")
    kept = {name: module for name, module in sys.modules.items() if name == its.__name__}
    sys.modules[its.__name__] = its
    try:
        with siblings.found(task.import_path):
            exec(compile(task.source, task.name, "exec"), vars(its))
            with torch.device("meta"):
                return constructor.made(its.Model, getattr(its, "get_init_inputs", list)()), its.get_inputs()
    except Exception as error:
        raise DeclineError(f"the module cannot be made on the meta device: {_line(error)}") from error
    finally:
        sys.modules.pop(its.__name__, None)
        sys.modules.update(kept)


def _held(model: nn.Module) -> dict[str, Any]:
    """Everything that the module and its parts hold in attributes, lists and dicts."""
    held: dict[str, Any] = {}
    for path, module in model.named_modules():
        for name, value in vars(module).items():
            inside = value if isinstance(value, dict) else dict(enumerate(value)) if isinstance(value, list) else {}
            held |= {f"{path}.{name}.{key}": item for key, item in inside.items()}
            if not isinstance(value, dict | list):
                held[f"{path}.{name}"] = value
    return held


def _check_held(before: dict[str, Any], after: dict[str, Any]) -> None:
    """DeclineError where tracing, that is one call of forward, has set an attribute."""
    for name in {**before, **after}:
        if name not in before or name not in after or before[name] is not after[name]:
            public = name.replace("_buffers.", "").replace("_parameters.", "").strip(".")
            raise DeclineError(f"forward sets self.{public}, so what it returns may depend on the calls before")


def _plain(graph: fx.Graph) -> None:
    """Drop what tracing leaves for constant arguments, and what nobody uses."""
    for node in reversed(list(graph.nodes)):
        unused = not node.users and node.op in ("call_function", "get_attr")
        if unused and getattr(node.target, "__name__", "") in ("_assert", "eq", "_assert_is_none", "getattr"):
            graph.erase_node(node)


def _named(model: nn.Module, given: list[Any]) -> dict[str, Any]:
    parameters = list(inspect.signature(type(model).forward).parameters.values())[1:]
    if any(p.kind not in (p.POSITIONAL_OR_KEYWORD, p.POSITIONAL_ONLY) for p in parameters):
        raise DeclineError("forward takes *args, **kwargs or keyword-only arguments")
    values = dict(zip([p.name for p in parameters], given, strict=False))
    for parameter in parameters[len(given) :]:
        values[parameter.name] = parameter.default
    for name, value in values.items():
        if not isinstance(value, torch.Tensor | int | float | str | bool | None):
            raise DeclineError(f"argument {name} of forward is a {type(value).__name__}, neither tensor nor constant")
    return values


def _line(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0][:200] if text else ''}"


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
