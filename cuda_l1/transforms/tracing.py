"""A task becomes a Program: its forward is traced with known shapes.

Shapes are constants of the graph, so loops over a dimension are unrolled. Not covered: code that branches on values; it
is declined.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import operator
import sys
import types
from collections.abc import Iterator
from typing import Any

import torch
from torch import fx, nn
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map_only

from cuda_l1 import constructor, siblings
from cuda_l1.transforms.program import DeclineError, Program, evaluate
from cuda_l1.transforms.purity import OPERATORS, purify
from cuda_l1.types import Task

MAX_NODES = 4000
"""A longer graph is an unrolled loop that nobody could read."""


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

    def __int__(self) -> int:
        line = self.tracer._line()  # type: ignore[attr-defined]
        raise DeclineError(f"forward takes a number out of a tensor (line {line})")

    def __float__(self) -> float:
        return int(self)

    def __setitem__(self, index: Any, value: Any) -> None:
        raise DeclineError("forward assigns to a part of a tensor")

    def __iter__(self) -> Any:
        return iter([operator.getitem(self, index) for index in range(len(self))])


def _recorded(function: Any) -> Any:
    return lambda self, other: self.tracer.create_proxy("call_function", function, (self, other), {})


for _function in OPERATORS:  # fx takes `m |= other` for `m = m | other`, which no other name of m would see
    setattr(_Known, f"__{_function.__name__}__", _recorded(_function))


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


def _given(its: Any) -> Any:
    """What `forward` is given, on the meta device; drawn on a CPU first where that asks for a number that was drawn."""
    try:
        with torch.device("meta"):
            return its.get_inputs()
    except RuntimeError:  # NotImplementedError is one
        with torch.random.fork_rng(devices=[]):
            return tree_map_only(torch.Tensor, lambda each: each.to("meta"), its.get_inputs())


def _made(task: Task) -> tuple[nn.Module, Any]:
    """Its module, on the meta device, and what `forward` is given. The source stands among the modules meanwhile:
    dataclasses look their annotations up there. What is scripted stays Python, through which fx can see."""
    its = types.ModuleType("task")
    kept = {name: module for name, module in sys.modules.items() if name == its.__name__}
    sys.modules[its.__name__] = its
    try:
        with siblings.found(task.import_path), _unscripted():
            exec(compile(task.source, task.name, "exec"), vars(its))
            with torch.device("meta"):
                made = constructor.made(its.Model, getattr(its, "get_init_inputs", list)())
            return made, _given(its)
    except Exception as error:
        raise DeclineError(f"the module cannot be made on the meta device: {_line(error)}") from error
    finally:
        sys.modules.pop(its.__name__, None)
        sys.modules.update(kept)


@contextlib.contextmanager
def _unscripted() -> Iterator[None]:
    """In here `torch.jit.script` gives back what it is given, as under PYTORCH_JIT=0."""
    enabled = torch.jit._state._enabled
    before, enabled.enabled = enabled.enabled, False
    try:
        yield
    finally:
        enabled.enabled = before


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
