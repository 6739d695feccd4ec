"""What crosses between a module and the wire: containers of tensors, constructor arguments, seeds, other weights.

Used inside the worker only; torch is imported inside the functions, because a worker enters its sandbox first.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from typing import Any


def flatten(value: Any) -> tuple[list[Any], Any]:
    """Tensors in order, and the shape of the container they sit in (None for a tensor, else nested lists)."""
    import torch

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
    import torch

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
    import torch

    if isinstance(value, list):
        return [decode(item) for item in value]
    if isinstance(value, dict):
        if "tuple" in value:
            return tuple(decode(item) for item in value["tuple"])
        if "dict" in value:
            return {decode(key): decode(item) for key, item in value["dict"]}
        return getattr(torch, value["dtype"])
    return value


def shape_text(shape: Any) -> str:
    return "a tensor" if shape is None else f"a container of {len(shape)}"


def seed_everything(seed: int) -> None:
    import numpy
    import torch

    random.seed(seed)
    numpy.random.seed(seed % (1 << 32))
    torch.manual_seed(seed)


def other_weights(value: Any) -> Any:
    """A tensor of the same kind: signs and zeros that may mean something (variances, masks) stay, values change."""
    import torch

    if not value.is_floating_point():
        return value
    if not bool(value.any()):  # a bias or a running mean that starts at zero
        return torch.randn_like(value) * 0.1
    return value * (0.5 + torch.rand_like(value))


def fresh(value: Any) -> Any:
    return value.clone() if hasattr(value, "data_ptr") else value


@contextlib.contextmanager
def default_dtype(dtype: Any) -> Iterator[None]:
    import torch

    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)
