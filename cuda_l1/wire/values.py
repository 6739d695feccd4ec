"""What crosses between a module and the wire: containers of tensors, constructor arguments, seeds.

Used inside the worker, but for what seeds.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import dataclasses
import enum
import functools
import os
import random
import re
import sys
import sysconfig
import traceback
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from types import CellType, FunctionType, SimpleNamespace
from typing import Any

import torch

from cuda_l1 import syntax
from cuda_l1.wire.link import RefusalError

_MOST_TEXT, _HEAD, _TAIL = 4000, 500, 1500
_PLAIN = (bool, int, float, str)
_SENT = (
    "numbers, strings, lists, tuples, dicts, a SimpleNamespace, dtypes, devices and classes of torch.nn"
    "{}, and objects that hold these"
)
_ARGUMENTS = ", its functions, a partial of these, small tensors"
_MOST_NUMBERS = 1 << 16
"""A tensor with more is no argument of a constructor that is sent by value."""
_DEEPEST = 12
"""What lies in more others, each made as it is asked for, may have no end."""
_LIBRARIES = (*(os.path.join(sysconfig.get_path(of), "") for of in ("stdlib", "purelib", "platlib")), "<")
"""Where the files of Python and of what is installed lie, and what begins the name of a text that is none."""
_ERROR_LINE = re.compile(r"^.*(?:\b[Ee]rror\b|\bundefined\b|\bfatal\b).*$", re.MULTILINE)


def describe_exception(error: BaseException) -> str:
    """The last lines that matter: type, message and the innermost frame outside this package. Where that is a
    library's, the innermost one outside all libraries stands before it: that line is the writer's own."""
    own = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(own)]
    written = [f for f in frames if not f.filename.startswith(_LIBRARIES)]
    places = [f"line {f.lineno} in {f.name}, {os.path.basename(f.filename)}" for f in (*written[-1:], *frames[-1:])]
    where = f" ({'; raised by '.join(dict.fromkeys(places))})" if places else ""
    if isinstance(error, SyntaxError):  # whose text holds file and line as well
        line = f" (line {error.lineno})" if error.lineno else ""  # a null byte is on none
        return f"{type(error).__name__}: {syntax.reason(error)}{line}"
    return f"{type(error).__name__}: {shortened(str(error))}{where}"


def shortened(text: str) -> str:
    """Its beginning, the first line that speaks of an error with what follows it, and its end. A compiler's first error
    is the one that matters, and long commands may stand before it and hundreds of others behind."""
    if len(text) <= _MOST_TEXT:
        return text
    first = _ERROR_LINE.search(text, text.find("\n") + 1)  # the first line is the exception's own
    start = min(max(first.start() if first else 0, _HEAD), len(text) - _TAIL)
    end = min(start + _MOST_TEXT - _HEAD - _TAIL, len(text) - _TAIL)
    parts = [text[:_HEAD], " ... " if start > _HEAD else "", text[start:end]]
    return "".join([*parts, " ... " if end < len(text) - _TAIL else "", text[len(text) - _TAIL :]])


def flatten(value: Any) -> tuple[list[Any], Any]:
    """Tensors in order, and the shape of the container they sit in: None for a tensor, "None" for a None, nested lists,
    and for a dict its items by key, whatever their order. Numbers and words belong to that shape: each by its own.
    TypeError for anything else, which says what a forward may return."""
    if isinstance(value, torch.Tensor):
        return [value], None
    if value is None:
        return [], "None"
    if type(value) in _PLAIN:  # and of no class of somebody's own, which may compute as it is looked at
        return [], f"the {type(value).__name__} {value!r}"
    if (fields := fields_of(value)) is not None:
        return flatten(fields)
    if isinstance(value, dict):
        named = sorted((repr(key), item) for key, item in value.items())
        leaves, shape = flatten([item for _, item in named])
        return leaves, {"keys": [key for key, _ in named], "items": shape}
    if isinstance(value, (list, tuple)):
        leaves, shape = [], []
        for item in value:
            inner, inner_shape = flatten(item)
            leaves += inner
            shape.append(inner_shape)
        return leaves, shape
    said = f"forward returned a {type(value).__name__}"
    raise TypeError(f"{said}; tensors, numbers, or lists, tuples, dicts and dataclasses of them, are expected")


def fields_of(value: Any) -> dict[str, Any] | None:
    """What a dataclass holds, by field, beside its class' name, which a candidate's own class may have too; None for
    anything else. Of one that is a dict as well, its items say what it holds."""
    if not dataclasses.is_dataclass(value) or isinstance(value, (type, dict)):
        return None
    return {"class": type(value).__name__} | {
        each.name: getattr(value, each.name) for each in dataclasses.fields(value)
    }


def flattened(made: Any) -> tuple[list[Any], Any]:
    """The same of what a forward made; RefusalError where anything else is in it."""
    try:
        return flatten(made)
    except TypeError as error:
        raise RefusalError("output", f"structure: {error}") from error


def encode(value: Any, tensors: list[Any] | None = None, within: tuple[int, ...] = ()) -> Any:
    """An argument as JSON; TypeError for what cannot be sent to another process by value. Tensors, if there may be
    some, are put behind `tensors` and named by their place there. `within` is what holds it."""
    if tensors is not None and isinstance(value, torch.Tensor):
        tensors.append(value)
        return {"tensor": len(tensors) - 1}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if id(value) in within or len(within) > _DEEPEST:
        raise TypeError(f"a {type(value).__name__} that holds itself, or lies in too many others; others can be sent")
    each = functools.partial(encode, tensors=tensors, within=(*within, id(value)))
    if isinstance(value, list):
        return list(map(each, value))
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return {"tuple": list(map(each, value))}
    if isinstance(value, dict):
        return {"dict": [[each(key), each(item)] for key, item in value.items()]}
    if isinstance(value, SimpleNamespace):
        return {"namespace": each(vars(value))}
    if isinstance(value, torch.dtype):
        return {"torch": str(value).removeprefix("torch.")}
    if isinstance(value, torch.device):
        return {"device": str(value)}
    if isinstance(value, type) and (name := _name_in_torch(value)):
        return {"torch": name}
    if tensors is None and (made := _as_argument(value, each)) is not None:
        return made
    raise TypeError(f"a {type(value).__name__}; {_SENT.format(_ARGUMENTS if tensors is None else '')} can be sent")


def _as_argument(value: Any, each: Callable[[Any], Any]) -> dict[str, Any] | None:
    """What a constructor may be given beside, as JSON: functions of torch's, partials (`partial(nn.LayerNorm,
    eps=1e-6)`), a few numbers in a tensor, named tuples, and records: who has no class of theirs gets a namespace of
    what they hold. None for anything else."""
    if callable(value) and (name := _name_in_torch(value)):
        return {"torch": name}
    if type(value) is functools.partial:
        return {"partial": [each(part) for part in (value.func, list(value.args), value.keywords)]}
    if is_float(value) or type(value) is torch.Tensor:
        is_small = value.numel() <= _MOST_NUMBERS and value.layout is torch.strided and not value.is_complex()
        return {"numbers": value.tolist(), "kind": encode(value.dtype)} if is_small else None
    if isinstance(value, tuple):
        return {"named": [type(value).__name__, list(value._fields), list(map(each, value))]}  # type: ignore[attr-defined]
    return {"namespace": {"dict": _held_by(value, each)}} if _is_record(value) else None


def _is_record(value: Any) -> bool:
    """Whether it is an object that holds settings: of a class of somebody's own, and no container, choice or module."""
    library = type(value).__module__.partition(".")[0]
    is_own = library not in {*sys.stdlib_module_names, "torch", "numpy"} or type(value) is argparse.Namespace
    holds = hasattr(value, "__dict__") or dataclasses.is_dataclass(value)
    return is_own and holds and not callable(value) and not isinstance(value, enum.Enum)


def _held_by(value: Any, each: Callable[[Any], Any]) -> list[list[Any]]:
    """A record's attributes by name, as JSON; of what its class holds, or computes, what can be sent; no methods."""
    own, held = getattr(value, "__dict__", {}), []
    for name in (name for name in dir(value) if not name.startswith("_")):
        if name in own:
            held.append([name, each(own[name])])
        elif not callable(getattr(type(value), name, None)):
            with contextlib.suppress(Exception):
                held.append([name, each(getattr(value, name))])
    return held


def _name_in_torch(value: Any) -> str:
    """By what name a class or a function is found there, without `torch.`; none for what says to live where it does
    not."""
    is_type = isinstance(value, type)
    own, name = getattr(value, "__module__", None) or "", getattr(value, "__qualname__" if is_type else "__name__", "")
    places = [own] if is_type else [own, "torch.nn.functional", "torch"]  # of builtins no name says
    for place in places:
        if place.startswith("torch.nn.") or place == "torch":
            with contextlib.suppress(AttributeError):
                found = f"{place}.{name}".removeprefix("torch.")
                if _of_torch(found) is value:
                    return found
    return ""


def decode(value: Any, tensors: Sequence[Any] = ()) -> Any:
    """The inverse of `encode`."""
    if isinstance(value, list):
        return [decode(item, tensors) for item in value]
    if isinstance(value, dict):
        if "tensor" in value:
            return tensors[value["tensor"]]
        if "tuple" in value:
            return tuple(decode(item, tensors) for item in value["tuple"])
        if "dict" in value:
            return {decode(key): decode(item, tensors) for key, item in value["dict"]}
        if "namespace" in value:
            return SimpleNamespace(**decode(value["namespace"], tensors))
        if "device" in value:
            return torch.device(value["device"])
        if "partial" in value:
            function, in_order, by_name = map(decode, value["partial"])
            return functools.partial(function, *in_order, **by_name)
        if "named" in value:
            name, fields, items = value["named"]
            return namedtuple(name, fields)(*map(decode, items))
        if "numbers" in value:
            return torch.tensor(value["numbers"], dtype=decode(value["kind"]))
        return _of_torch(value["torch"])
    return value


def _of_torch(name: str) -> Any:
    """What has that name in torch, with dots."""
    return functools.reduce(getattr, name.split("."), torch)


def apart(given: Any) -> tuple[list[Any], Any]:
    """A forward's arguments, a list or a dict by name, as a flat list, and how they are put together again: None for a
    list in which no tensor lies within another argument. TypeError for what cannot be sent."""
    tensors: list[Any] = []
    encoded = encode(given if isinstance(given, dict) else list(given), tensors)
    if isinstance(encoded, list) and len(tensors) == sum(isinstance(value, torch.Tensor) for value in given):
        return list(given), None
    return tensors, encoded


class Together(torch.nn.Module):
    """A module that is given a flat list, and gives another one its arguments as that takes them."""

    def __init__(self, module: Any, given: Any) -> None:
        super().__init__()
        self.module, self.given = module, given

    def forward(self, *tensors: Any) -> Any:
        """What comes of the module, for which containers are made anew: it may change them."""
        made = decode(self.given, tensors)
        return self.module(**made) if isinstance(made, dict) else self.module(*made)


def seed_everything(seed: int) -> None:
    """Of Python, NumPy and PyTorch, of whose backends only a GPU that is up: `torch.manual_seed` asks after all there
    may be, which takes 0.1 ms, and every input of a race is drawn under a seed of its own."""
    import numpy

    random.seed(seed)
    numpy.random.seed(seed % (1 << 32))
    torch.default_generator.manual_seed(seed)
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        torch.cuda.manual_seed(seed)


def is_float(value: Any) -> bool:
    """Whether it is a tensor of floating point."""
    return torch.is_tensor(value) and value.is_floating_point()


def is_number(value: Any) -> bool:
    """Whether it is a tensor of floating point or of complex numbers."""
    return is_float(value) or (torch.is_tensor(value) and value.is_complex())


def fresh(value: Any) -> Any:
    """A copy of what is a tensor; anything else as it is."""
    return value.clone() if hasattr(value, "data_ptr") else value


def copied(module: Any) -> Any:
    """A deep copy, whose functions are over parts of the copy too (`self.body = lambda x: body(x)`), and so are those
    that these call, those with parts as defaults, and those in its lists and dicts (hooks)."""
    known: dict[int, Any] = {}
    made = copy.deepcopy(module, known)
    for part in made.modules() if made is not module else ():
        for name, value in vars(part).items():
            if isinstance(value, dict):
                value.update({key: _over(each, known) for key, each in value.items()})
            elif isinstance(value, list):
                value[:] = [_over(each, known) for each in value]
            else:
                vars(part)[name] = _over(value, known)
    return made


def _over(value: Any, known: dict[int, Any]) -> Any:
    """What is known of a copy in its place, or a function over that, if it is over any; the cells of one are shared."""
    if id(value) in known or not (isinstance(value, FunctionType) and _reaches(value, known, set())):
        return known.get(id(value), value)
    cells = tuple(known.setdefault(id(cell), CellType()) for cell in value.__closure__ or ())
    again = known[id(value)] = FunctionType(value.__code__, value.__globals__, value.__name__, None, cells)
    for cell, own in zip(value.__closure__ or (), cells, strict=True):
        for each in _within(cell):
            own.cell_contents = _over(each, known)
    again.__defaults__ = value.__defaults__ and tuple(_over(each, known) for each in value.__defaults__)
    again.__kwdefaults__ = value.__kwdefaults__ and {k: _over(each, known) for k, each in value.__kwdefaults__.items()}
    return functools.update_wrapper(again, value)


def _reaches(value: Any, known: dict[int, Any], met: set[int]) -> bool:
    """Whether it is known, or a function over what is; of those that call one another each is asked once."""
    if id(value) in known or not isinstance(value, FunctionType) or id(value) in met:
        return id(value) in known
    met.add(id(value))
    held = [each for cell in value.__closure__ or () for each in _within(cell)]
    held += [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
    return any(_reaches(each, known, met) for each in held)


def _within(cell: CellType) -> list[Any]:
    """What a cell holds, if anything yet."""
    try:
        return [cell.cell_contents]
    except ValueError:
        return []


def at_hand(slots: list[list[Any]]) -> Callable[[int], list[Any]]:
    """What gives the inputs of a slot as new tensors over the same memory: half a microsecond each, where to make one
    of bytes takes ten. What eager spends between its calls is what a candidate may hide there."""
    return lambda slot: [value.data if torch.is_tensor(value) else value for value in slots[slot]]


@contextlib.contextmanager
def default_dtype(dtype: Any) -> Iterator[None]:
    """In here numbers without a type of their own have that one."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)
