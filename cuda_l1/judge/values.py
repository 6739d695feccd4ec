"""What crosses between a module and the wire: containers of tensors, constructor arguments, seeds, other weights.

Used inside the worker only.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
import random
import re
import traceback
from collections.abc import Iterator, Sequence
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
    """Copy an output's tensors into the judge's memory; RefusalError when they are not what was expected: of another
    `structure` (that of `flatten`, and by leaf what `borrows` says of the reference's)."""
    leaves, shape = flatten(out)
    expected, may = structure
    if shape != expected:
        raise RefusalError(
            "output", f"structure: forward returned {shape_text(shape)}; expected {shape_text(expected)}"
        )
    for index, (said, allowed) in enumerate(zip(borrows(leaves), may, strict=True)):
        if said and not allowed:
            raise RefusalError("output", f"plain: output {index} {said}, the reference's is not so: copy it")
    deliver_leaves(leaves, targets)
    return leaves


def is_plain(leaf: Any) -> bool:
    """Whether it is a dense tensor of torch's own types, and no object that computes when it is looked at."""
    return type(leaf) in (torch.Tensor, torch.nn.Parameter) and leaf.layout is torch.strided


def borrows(leaves: list[Any]) -> list[str]:
    """By leaf, how it is no memory of its own, ready to read; empty where it is. Who writes to such a tensor, or reads
    it, pays for the copy, or the step, that was left out."""
    said = [""] * len(leaves)
    reaching: list[int] = []
    plain = [index for index, leaf in enumerate(leaves) if is_plain(leaf) and leaf.numel()]
    for index in sorted(plain, key=lambda index: leaves[index].data_ptr()):
        leaf = leaves[index]
        if leaf.is_neg() or leaf.is_conj():
            said[index] = "is negated or conjugated when it is read"
        if _lies_over_itself(leaf.shape, leaf.stride()):
            said[index] = "has elements that share memory (an expanded view?)"
        reaching = [other for other in reaching if leaf.data_ptr() < _end(leaves[other])]
        for other in reaching:
            if _lie_over_one_another(leaves[other], leaf):
                said[index] = said[other] = "shares its memory with another output"
        reaching.append(index)
    return said


def _lies_over_itself(shape: Sequence[int], stride: Sequence[int]) -> bool:
    """Whether two elements may be one: a stride of zero, or windows that overlap."""
    reach = 0
    for step, extent in sorted((step, extent) for extent, step in zip(shape, stride, strict=True) if extent > 1):
        if step <= reach:
            return True
        reach += (extent - 1) * step
    return False


def _lie_over_one_another(first: Any, second: Any) -> bool:
    """The second begins within the first's reach."""
    between = second.data_ptr() - first.data_ptr()
    if first.dtype != second.dtype or between % first.element_size():
        return True
    return _share_places(tuple(first.shape), first.stride(), tuple(second.shape), second.stride(),
                         between // first.element_size())  # fmt: skip


def _end(leaf: Any) -> int:
    """The address behind its last element."""
    return int(leaf.data_ptr() + _reach(leaf.shape, leaf.stride()) * leaf.element_size())


def _reach(shape: Sequence[int], stride: Sequence[int]) -> int:
    """Elements from the first one's place to behind the last one's."""
    return 1 + sum((extent - 1) * step for extent, step in zip(shape, stride, strict=True))


@functools.lru_cache(maxsize=256)
def _share_places(
    shape: tuple[int, ...], stride: tuple[int, ...], its_shape: tuple[int, ...], its_stride: tuple[int, ...], at: int
) -> bool:
    """Whether some element of one is an element of another that begins `at` elements later. Parts of one tensor lie
    beside one another, as gates do."""
    taken = torch.zeros(max(_reach(shape, stride), at + _reach(its_shape, its_stride)), dtype=torch.bool)
    taken.as_strided(shape, stride).fill_(True)
    return bool(taken.as_strided(its_shape, its_stride, at).any())


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


_FAINT, _VISIBLE, _NEGATIVE = 1e-3, 0.1, 1 / 3
_STEEPER, _FAR_SHARE, _FAR = 3.0, 1 / 4, 4.0
_SMALL_INTEGERS = (torch.int8, torch.uint8)
"""What quantised weights are held in; wider ones are positions and counts."""


def other_weights(value: Any, *, is_trained: bool = False, signs: bool = False) -> Any:
    """A tensor of the same kind, with other values, and none so small that it could be left out. Signs stay, and zeros
    that may mean something (variances, masks); those of what `is_trained` are where training begins, and so, if `signs`
    may change, is the sign of what is the same number throughout, as the scales of norms are."""
    if value.is_complex():
        return torch.view_as_complex(other_weights(torch.view_as_real(value).contiguous(), is_trained=is_trained))
    if value.dtype in _SMALL_INTEGERS and value.numel() > 1:
        return value.reshape(-1).roll(int(torch.randint(1, value.numel(), ()))).view(value.shape)
    if not value.is_floating_point():
        return value
    if not bool(value.any()):  # a bias or a running mean that starts at zero
        return torch.randn_like(value) * 0.1
    scale = float(torch.linalg.vector_norm(value, dtype=torch.float64)) / value.numel() ** 0.5
    if is_trained:
        value = torch.where(value == 0, torch.randn_like(value) * scale, value)
        if signs and value.numel() > 1 and bool((value == value.reshape(-1)[0]).all()):
            value = torch.where(torch.rand_like(value) < _NEGATIVE, -value, value)
    value = value * (_VISIBLE / scale if 0 < scale < _FAINT else 1.0)
    return value * (0.5 + torch.rand_like(value))


def far_weights(value: Any, *, is_trained: bool) -> Any:
    """The same further from where training begins: gates with a bias so far out that they stay open, products that grow
    where they faded. What a recurrence forgets under weights as they are drawn it remembers under these."""
    value = other_weights(value, is_trained=is_trained, signs=True)
    if not (is_trained and value.is_floating_point() and value.numel() > 1):
        return value
    if value.dim() > 1:
        return value * _STEEPER
    return value + torch.where(torch.rand_like(value) < _FAR_SHARE, torch.randn_like(value) * _FAR, 0)


INFINITIES, NANS, FILLED = "infinities", "nans", "filled"
SPECIAL = {
    INFINITIES: re.compile(r"\bisinf|\bisfinite|\binf\b|\bnan_to_num"),
    NANS: re.compile(r"\bisnan|\bisfinite|\bnan\b|\bnan(_to_num|sum|mean|median|quantile)"),
}
"""A few elements are minus infinity, as masks have it, or no number. A task promises nothing of them, and what goes
wrong is a note, unless its text speaks of them."""
DISTRIBUTIONS = ("signs", "negated", "negatives", "outliers", "cubed", "large", "huge", "small", "integers", "sparse",
                 FILLED, *SPECIAL)  # fmt: skip
"""What floating-point inputs are turned into for checks beside the task's own values: functions of each element, zero
at zero, so that a triangle stays a triangle and a symmetric matrix symmetric. A task may promise such a thing."""


_OUTLIERS, _OF_16_BITS, _FOLD, _SIGN_FOLD = 8, 1 / 512, 97.409091, 61.803399
"""About so many elements are large where the others are as they were, and of 16 bits, which say the same often, such a
share: a look at a few does not find them. Which ones hangs on their values alone, by the fraction of a multiple."""


def varied(value: Any, kind: str) -> Any:
    """A tensor of the same kind with values of another distribution (one of these, or `near_one`, on which nothing is
    verified); what is neither of floating point nor uniform stays."""
    if value.is_complex():
        return torch.view_as_complex(varied(torch.view_as_real(value).contiguous(), kind))
    if kind == FILLED and is_uniform(value):  # a state that begins at zero, a mask that hides nothing
        if value.is_floating_point() and not bool(value.any()):
            return torch.randn_like(value)
        hidden = torch.rand(value.shape, device=value.device) < 1 / 3
        return ~hidden if value.dtype is torch.bool else value.masked_fill(hidden, 0)
    if not value.is_floating_point() or kind == FILLED:
        return value
    if kind == "signs":  # sums of one sign hide what their terms err by
        return torch.where(value.abs().float().mul_(_SIGN_FOLD).frac_() < 0.5, -value, value)
    if kind == "negated":
        return -value
    if kind in ("outliers", "negatives", *SPECIAL):
        share = max(_OUTLIERS / max(value.numel(), 1), _OF_16_BITS if value.element_size() == 2 else 0.0)
        chosen = (value.abs().float().mul_(_FOLD).frac_() < share) & (value != 0)
        factor = {"outliers": 64.0, "negatives": -1.0, NANS: math.nan}.get(kind)
        return torch.where(chosen, value.abs() * -math.inf if factor is None else value * factor, value)
    if kind == "cubed":
        return value**3
    if kind == "near_one":  # products of ten thousands keep their size
        return value.sign() * value.abs() ** 2**-16
    if kind == "large":  # as large where they are drawn from 0 to 1: an exponential of them overflows
        return value * (256 if value.dtype is not torch.float16 and bool((value.abs() <= 1).all()) else 64)
    if kind == "huge":  # beyond what a float16 holds, and any limit that a task may set
        return value * 2**20
    if kind == "small":
        return value / 64
    if kind == "integers":
        return (value * 4).round()
    return value.where(value.abs() > 0.5, value.new_zeros(()))


def is_uniform(value: Any) -> bool:
    """Whether it is zeros throughout, or a mask of one value (of booleans, numbers or integers): what any task could do
    without."""
    if value.numel() < 2 or value.is_complex() or (value.is_floating_point() and value.element_size() == 1):
        return False
    same = bool((value == value.reshape(-1)[0]).all())
    return same and (value.dtype is torch.bool or value.is_floating_point() or bool(value.any()))


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
