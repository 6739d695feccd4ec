"""What crosses between a module and the wire: containers of tensors, constructor arguments, seeds.

Used inside the worker, but for what rounds and what seeds.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import torch

from cuda_l1 import syntax
from cuda_l1.wire.link import RefusalError

_MOST_TEXT, _HEAD, _TAIL = 4000, 500, 1500
_ERROR_LINE = re.compile(r"^.*(?:\b[Ee]rror\b|\bundefined\b|\bfatal\b).*$", re.MULTILINE)


def describe_exception(error: BaseException) -> str:
    """The last lines that matter: type, message and the innermost frame outside this package."""
    own = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(own)]
    where = (
        f" (line {frames[-1].lineno} in {frames[-1].name}, {os.path.basename(frames[-1].filename)})" if frames else ""
    )
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
    and for a dict its items by key, whatever their order."""
    if isinstance(value, torch.Tensor):
        return [value], None
    if value is None:
        return [], "None"
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
    raise TypeError(f"a {type(value).__name__}")


def flattened(made: Any) -> tuple[list[Any], Any]:
    """The same of what a forward made; RefusalError where anything else is in it."""
    try:
        return flatten(made)
    except TypeError as error:
        detail = f"forward returned {error}; tensors, or lists, tuples and dicts of them, are expected"
        raise RefusalError("output", f"structure: {detail}") from error


def encode(value: Any) -> Any:
    """A constructor argument as JSON; TypeError for what cannot be sent to another process by value."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, list):
        return [encode(item) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [encode(item) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[encode(key), encode(item)] for key, item in value.items()]}
    if isinstance(value, torch.dtype):
        return {"dtype": str(value).removeprefix("torch.")}
    raise TypeError(f"a {type(value).__name__}; numbers, strings, lists, tuples, dicts and dtypes can be sent")


def decode(value: Any) -> Any:
    """The inverse of `encode`."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if isinstance(value, dict):
        if "tuple" in value:
            return tuple(decode(item) for item in value["tuple"])
        if "dict" in value:
            return {decode(key): decode(item) for key, item in value["dict"]}
        return getattr(torch, value["dtype"])
    return value


def seed_everything(seed: int) -> None:
    """Of Python, NumPy and PyTorch, of whose backends only a GPU that is up: `torch.manual_seed` asks after all there
    may be, which takes 0.1 ms, and every input of a race is drawn under a seed of its own."""
    import numpy

    random.seed(seed)
    numpy.random.seed(seed % (1 << 32))
    torch.default_generator.manual_seed(seed)
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        torch.cuda.manual_seed(seed)


ROUNDINGS = {"bfloat16": (16, True), "float16 or TF32": (13, True), "TF32, cut off": (13, False)}
"""Coarser factors of products: bits of a float32 that are dropped, and whether to the nearest. Tensor cores that are
given float32 cut it off; libraries that convert it first round it."""
FACTORS, RESULTS_TOO, SECOND_ALONE = "factors", "factors and results", "second factors"
"""What of products is rounded, where nothing else is."""
ALL_RESULTS = "all results"
LONG_SUMS = "all results, and terms of long sums"
TIES_APART = "all that operations take, ties too"
DIVISORS = "zeros that are divided by, negative"
EITHER_SIDE, EITHER_SIDE_KEPT = "16-bit results on either side", "16-bit results on either side, in its state too"
EITHER_SIDE_FAR = "16-bit results some places away"
"""Of a copy of the module as it is, of itself, and of a copy, see narrow.py."""
BESIDE_ONE = "beside one"
"""What is left of numbers that are added to one in float32."""
_BESIDE_ONE = 2.0**-23
MOVED, MOVED_TF32 = "a last place away", "a last place of TF32's away"
MOVED_TWICE = "two last places away"
OF_FLOAT64 = " of float64's"
_MOVES = {MOVED: 2.0**-22, MOVED_TWICE: 2.0**-21, MOVED_TF32: 2.0**-11}
"""Each larger by such a share of itself, smaller, or as it is, by chance: by two units in the last place of a float32,
twice as many, or as much as TF32 rounds. What is whole numbers stays."""
_MOVES |= {kind + OF_FLOAT64: 2.0**-29 * _MOVES[kind] for kind in (MOVED, MOVED_TWICE)}
_MOST_LEVELS = 1 << 15


def rounded(value: torch.Tensor, kind: str, times: float = 1.0) -> torch.Tensor:
    """The tensor's values as the hardware would take them, or moved, by so many times as much; its dtype stays. Of
    complex ones each part."""
    if value.is_complex():
        return torch.view_as_complex(rounded(torch.view_as_real(value.resolve_conj()), kind, times))
    if kind in _MOVES:
        return value if are_whole(value) else value * (1 + times * _MOVES[kind] * torch.randint_like(value, -1, 2))
    if kind == BESIDE_ONE:
        return (value / _BESIDE_ONE).round() * _BESIDE_ONE
    dropped, nearest = ROUNDINGS[kind]
    bits = value.float().contiguous().view(torch.int32)
    return ((bits + (nearest << dropped >> 1)) & -(1 << dropped)).view(torch.float32).to(value.dtype)


def are_whole(value: Any) -> bool:
    """Whether it is whole numbers everywhere, none large: labels, flags and levels, which no rounding has made. A last
    place away `label == 1` holds nowhere, and whatever comes of that is not right."""
    return bool(((value == value.round()) & (value.abs() <= _MOST_LEVELS)).all())


def is_float(value: Any) -> bool:
    """Whether it is a tensor of floating point."""
    return torch.is_tensor(value) and value.is_floating_point()


def is_number(value: Any) -> bool:
    """Whether it is a tensor of floating point or of complex numbers."""
    return is_float(value) or (torch.is_tensor(value) and value.is_complex())


def fresh(value: Any) -> Any:
    """A copy of what is a tensor; anything else as it is."""
    return value.clone() if hasattr(value, "data_ptr") else value


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
