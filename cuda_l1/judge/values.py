"""What crosses between a module and the wire: containers of tensors, constructor arguments, seeds, other weights.

Used inside the worker only.
"""

from __future__ import annotations

import contextlib
import math
import os
import random
import re
import traceback
from collections.abc import Iterator
from typing import Any

import torch


class RefusalError(Exception):
    """The request cannot be served; `stage` names what failed, for the parent to choose a status."""

    def __init__(self, stage: str, text: str) -> None:
        super().__init__(text)
        self.stage = stage


_MOST_TEXT, _HEAD, _TAIL = 4000, 500, 1500
_ERROR_LINE = re.compile(r"^.*(?:\b[Ee]rror\b|\bundefined\b|\bfatal\b).*$", re.MULTILINE)


def describe_exception(error: BaseException) -> str:
    """The last lines that matter: type, message and the innermost frame outside this package."""
    own = os.path.dirname(__file__)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if os.path.dirname(f.filename) != own]
    where = (
        f" (line {frames[-1].lineno} in {frames[-1].name}, {os.path.basename(frames[-1].filename)})" if frames else ""
    )
    if isinstance(error, SyntaxError):  # whose text holds file and line as well
        return f"{type(error).__name__}: {error.msg} (line {error.lineno})"
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
    """Tensors in order, and the shape of the container they sit in (None for a tensor, else nested lists)."""
    if isinstance(value, torch.Tensor):
        return [value], None
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        leaves, shape = [], []
        for item in value:
            inner, inner_shape = flatten(item)
            leaves += inner
            shape.append(inner_shape)
        return leaves, shape
    raise TypeError(f"a {type(value).__name__}")


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


def deliver(out: Any, structure: Any, targets: list[Any]) -> list[Any]:
    """Copy an output's tensors into the judge's memory; RefusalError when they are not what was expected."""
    leaves, shape = flatten(out)
    if shape != structure:
        raise RefusalError(
            "output", f"structure: forward returned {shape_text(shape)}; expected {shape_text(structure)}"
        )
    deliver_leaves(leaves, targets)
    return leaves


def is_plain(leaf: Any) -> bool:
    """Whether it is a dense tensor of torch's own types, and no object that computes when it is looked at."""
    return type(leaf) in (torch.Tensor, torch.nn.Parameter) and leaf.layout is torch.strided


def overlaps(leaf: Any) -> bool:
    """Whether there is less memory than elements: a stride of zero, or windows over one another."""
    reach = sum((extent - 1) * step for extent, step in zip(leaf.shape, leaf.stride(), strict=True))
    return bool(reach + 1 < leaf.numel())


def deliver_leaves(leaves: list[Any], targets: list[Any]) -> None:
    for index, (leaf, target) in enumerate(zip(leaves, targets, strict=True)):
        if not is_plain(leaf):
            kind = f"{type(leaf).__name__} ({leaf.layout})"
            raise RefusalError("output", f"plain: output {index} is a {kind}; expected a dense torch.Tensor")
        for what in ("shape", "dtype", "device"):
            found, expected = getattr(leaf, what), getattr(target, what)
            if found != expected:
                found, expected = (tuple(found), tuple(expected)) if what == "shape" else (found, expected)
                raise RefusalError("output", f"{what}: output {index} has {what} {found}; expected {expected}")
        target.copy_(leaf)


def deliver_again(kept: list[list[Any]], arena: Any) -> None:
    """Copy the outputs of earlier calls, all but the last one's, behind their first copies, as they are now."""
    for index, leaves in enumerate(kept[:-1]):
        try:
            deliver_leaves(leaves, arena.output(len(kept) + index))
        except Exception as error:  # torch.compile's graphs refuse to show an output that was overwritten
            raise RefusalError("output", f"overwritten: {type(error).__name__}: {error}") from error


def shape_text(shape: Any) -> str:
    return "a tensor" if shape is None else f"a container of {len(shape)}"


def seed_everything(seed: int) -> None:
    import numpy

    random.seed(seed)
    numpy.random.seed(seed % (1 << 32))
    torch.manual_seed(seed)


def other_weights(value: Any) -> Any:
    """A tensor of the same kind: signs and zeros that may mean something (variances, masks) stay, values change."""
    if not value.is_floating_point():
        return value
    if not bool(value.any()):  # a bias or a running mean that starts at zero
        return torch.randn_like(value) * 0.1
    return value * (0.5 + torch.rand_like(value))


INFINITIES = "infinities"
"""A few elements are minus infinity, as masks have it. A task promises nothing of them: what goes wrong is a note."""
DISTRIBUTIONS = ("signs", "negated", "outliers", "cubed", "large", "small", "integers", "sparse", INFINITIES)
"""What floating-point inputs are turned into for checks beside the task's own values: functions of each element, zero
at zero, so that a triangle stays a triangle and a symmetric matrix symmetric. A task may promise such a thing."""


_OUTLIERS, _OF_16_BITS, _FOLD, _SIGN_FOLD = 8, 1 / 512, 97.409091, 61.803399
"""About so many elements are large where the others are as they were, and of 16 bits, which say the same often, such a
share: a look at a few does not find them. Which ones hangs on their values alone, by the fraction of a multiple."""


def varied(value: Any, kind: str) -> Any:
    """A tensor of the same kind with values of another distribution (one of these, or `near_one`, on which nothing is
    verified); what is not floating point stays."""
    if not value.is_floating_point():
        return value
    if kind == "signs":  # sums of one sign hide what their terms err by
        return torch.where(value.abs().float().mul_(_SIGN_FOLD).frac_() < 0.5, -value, value)
    if kind == "negated":
        return -value
    if kind in ("outliers", INFINITIES):
        share = max(_OUTLIERS / max(value.numel(), 1), _OF_16_BITS if value.element_size() == 2 else 0.0)
        chosen = (value.abs().float().mul_(_FOLD).frac_() < share) & (value != 0)
        return torch.where(chosen, value * 64 if kind == "outliers" else value.abs() * -math.inf, value)
    if kind == "cubed":
        return value**3
    if kind == "near_one":  # products of ten thousands keep their size
        return value.sign() * value.abs() ** 2**-16
    if kind == "large":
        return value * 64
    if kind == "small":
        return value / 64
    if kind == "integers":
        return (value * 4).round()
    return value.where(value.abs() > 0.5, value.new_zeros(()))


ROUNDINGS = {"bfloat16": (16, True), "float16 or TF32": (13, True), "TF32, cut off": (13, False)}
"""Coarser factors of products: bits of a float32 that are dropped, and whether to the nearest. Tensor cores that are
given float32 cut it off; libraries that convert it first round it."""


def rounded(value: torch.Tensor, kind: str) -> torch.Tensor:
    """The tensor's values as the hardware would take them; its dtype stays."""
    dropped, nearest = ROUNDINGS[kind]
    bits = value.float().contiguous().view(torch.int32)
    return ((bits + (nearest << dropped >> 1)) & -(1 << dropped)).view(torch.float32).to(value.dtype)


def fresh(value: Any) -> Any:
    return value.clone() if hasattr(value, "data_ptr") else value


@contextlib.contextmanager
def default_dtype(dtype: Any) -> Iterator[None]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)
