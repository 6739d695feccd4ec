"""The source that a worker runs: imported, its module constructed, its inputs drawn.

Used inside the worker only.
"""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from cuda_l1 import constructor, siblings
from cuda_l1.wire.link import RefusalError
from cuda_l1.wire.values import apart, decode, describe_exception, encode, seed_everything

_NARROW = {"bf16": torch.bfloat16, "fp16": torch.float16}


class Source:
    """A file, imported."""

    def __init__(self, path: str, name: str, import_path: str | None) -> None:
        """`name`: the module's, which is not that of the file: a user's may be called as a library is."""
        if import_path:
            siblings.find(import_path)
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        self.given: Any = None
        """How what it was drawn is put together, see `values.apart`."""
        self._said: list[str] = []
        """What of that is no tensor, in the first draw."""
        self._namespace = importlib.util.module_from_spec(spec)
        sys.modules[name] = self._namespace
        attempt("build", lambda: spec.loader.exec_module(self._namespace))  # type: ignore[union-attr]

    def function(self, name: str, otherwise: Callable[..., Any] | None = None) -> Callable[..., Any]:
        """The function of that name; `otherwise` where there is none."""
        function = getattr(self._namespace, name, otherwise)
        if not callable(function):
            raise RefusalError("task", f"the source defines no {name}()")
        return function

    def made_with(self) -> tuple[list[Any], list[Any]]:
        """What the module is constructed with, and that as it is sent to others."""
        init = attempt("init_inputs", lambda: self.function("get_init_inputs", list)())
        if not isinstance(init, (list, tuple, dict)):
            said = f"get_init_inputs returned a {type(init).__name__}; a list was expected"
            raise RefusalError("task", f"{said}: the constructor's arguments in order, or a dict of them by name")
        init = [[], init] if isinstance(init, dict) else list(init)
        try:
            return init, [encode(value) for value in init]
        except TypeError as error:
            raise RefusalError("task", f"get_init_inputs holds {error}: make others in __init__") from error

    def made_with_as(self, encoded: list[Any]) -> list[Any]:
        """What was sent; of a text that gives the same, its own: objects of its own classes, which have methods."""
        with contextlib.suppress(RefusalError):
            own, its = self.made_with()
            if its == encoded:
                return own
        return [decode(value) for value in encoded]

    def construct(self, class_name: str, init: list[Any], seed: int, device: str, precision: str) -> Any:
        """A module of that class, made under the seed."""
        kind = getattr(self._namespace, class_name, None)
        if not isinstance(kind, type) or not issubclass(kind, torch.nn.Module):
            raise RefusalError("build", self._no_class(class_name))
        seed_everything(seed)
        module = attempt("build", lambda: constructor.made(kind, init)).to(device)
        return module.to(_NARROW[precision]) if precision in _NARROW else module

    def _no_class(self, class_name: str) -> str:
        its = [name for name, value in vars(self._namespace).items() if isinstance(value, type)
               and issubclass(value, torch.nn.Module) and value.__module__ == self._namespace.__name__]  # fmt: skip
        wanted = f"the code defines no class {class_name} that is a torch.nn.Module"
        return f"{wanted}; it has {', '.join(its) or 'no module'}"

    def inputs(self, seed: int, device: str, precision: str) -> list[Any]:
        """What `get_inputs` gives under the seed, on the device: tensors that lie within others by themselves."""
        seed_everything(seed)
        get_inputs = self.function("get_inputs")
        try:
            with torch.device(device):  # drawn on the device: a gigabyte takes the CPU seconds
                values = get_inputs()
        except (Exception, SystemExit):
            seed_everything(seed)
            values = attempt("inputs", get_inputs)
        if not isinstance(values, (list, tuple, dict)):
            said = f"get_inputs returned a {type(values).__name__}; a list was expected: forward's arguments in order"
            raise RefusalError("task", f"{said}, or a dict of them by name")
        kind = _NARROW.get(precision)
        try:
            values, self.given = apart(values)
        except TypeError as error:
            raise RefusalError("task", f"get_inputs holds {error}, and tensors") from error
        self._keep_as_said(values)
        for number, value in enumerate(values):  # one by one: of a large one there is no room for another copy
            if torch.is_tensor(value):
                if value.layout is not torch.strided:
                    said = f"get_inputs holds a tensor of {value.layout}; a dense one was expected"
                    raise RefusalError("task", f"{said}: give indices and values, and make it in forward")
                wanted = kind if kind and value.is_floating_point() else value.dtype
                values[number] = value.detach().to(device, wanted)
        return values

    def _keep_as_said(self, values: list[Any]) -> None:
        """What is no tensor is sent once, and the same in all calls: whoever keeps it would be right."""
        said = list(
            map(repr, tree_leaves([self.given, [encode(each) for each in values if not torch.is_tensor(each)]]))
        )
        self._said = self._said or said
        for was, now in zip(self._said, said, strict=False):
            if was != now:
                found = f"get_inputs gives {was} in one draw and {now} in another"
                raise RefusalError("task", f"{found}: give what is another each time as a tensor, a number too")


def attempt(stage: str, function: Callable[[], Any]) -> Any:
    """What it returns; RefusalError of that stage for what it raises."""
    try:
        with torch.no_grad() if stage == "forward" else contextlib.nullcontext():
            return function()
    except RefusalError:
        raise
    except (Exception, SystemExit) as error:
        raise RefusalError(stage, describe_exception(error)) from error
