"""What a task's module does at least: floating-point operations, bytes in and out, and input bytes that matter.

Runs inside the reference's process, on the task's own source. `measure` is one call. `dependent` is a backward pass
in float64, asked only when a candidate is so fast that the answer may matter.

NOT counted: pointwise and reduction operations (memory bounds those), recurrent layers of a library.
"""

from __future__ import annotations

import collections
import re
from typing import Any

from cuda_l1.machine.environment import host_free_nbytes
from cuda_l1.types import Record
from cuda_l1.wire.values import copied, default_dtype, flatten, fresh, is_float

_NEGLIGIBLE = 1e-3
"""An element whose gradient is below this part of the largest may be left unread within the tolerance of the judge."""
_NOISE = 1e-6
"""A float64 gradient below this part of what flows back is rounding, not dependence."""
_ONLY_MOVES = re.compile(
    r"aten\.((index(_select)?|embedding|gather|take|_to_copy|copy_?|clone|_unsafe_view|cat|stack|constant_pad_nd|flip|roll"
    r"|repeat|tri[lu])\.|\w+_like\.|native_dropout\.)"
)
"""Operators that compute nothing, none of whose extents is summed."""
_BACKWARD_ROOM = 16
"""A backward pass in float64 holds about this many times the bytes of inputs, weights and outputs."""


class Work(Record):
    """One call of the reference: operations and bytes."""

    flops: dict[str, int]
    """By `convolution` (where PyTorch's default may use TF32) and `product` (all others)."""
    is_recurrent: bool
    """Whether cuDNN runs a recurrent layer, where PyTorch's default may use TF32 too."""
    input_bytes: int
    weight_bytes: int
    """Parameters and buffers."""
    output_bytes: int
    longest_sum: int
    """Of how many terms one may be, at most: elements of a dimension, or that are given for each that is returned."""


def measure(module: Any, values: list[Any]) -> dict[str, Any]:
    """A `Work` as plain JSON, from one call of `module(*values)`. Raises what the module raises."""
    import torch

    counts: collections.Counter[str] = collections.Counter()
    with torch.no_grad(), _counting(counts):
        leaves, _ = flatten(module(*map(fresh, values)))
    state = module.state_dict().values()
    return {
        "flops": {"convolution": counts["convolution"], "product": counts["product"]},
        "is_recurrent": counts["recurrent"] > 0,
        "input_bytes": _nbytes(values),
        "weight_bytes": _nbytes({value.data_ptr(): value for value in state}.values()),
        "output_bytes": _nbytes(leaves),
        "longest_sum": counts["longest sum"],
    }


def _counting(counts: collections.Counter[str]) -> Any:
    """A context that adds up the operations of each operator by torch's own formulas, and keeps the longest sum.

    `FlopCounterMode` does the same, and first imports the compiler, for a second or two.
    """
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils.flop_counter import flop_registry

    class Counting(TorchDispatchMode):  # type: ignore[no-untyped-call]
        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            return False

        def __torch_dispatch__(self, operator: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            out = operator(*args, **(kwargs or {}))
            name = str(operator)
            counts["recurrent"] += "cudnn_rnn" in name
            formula = flop_registry.get(operator._overloadpacket)
            flops = 0 if formula is None else int(formula(*args, **(kwargs or {}), out_val=out))
            if formula is not None:
                counts["convolution" if "conv" in name else "product"] += flops
            if not (_ONLY_MOVES.search(name) or torch.Tag.pointwise in operator.tags or operator.is_view):
                given = [value for value in args if torch.is_tensor(value) and value.numel()]
                size = out.numel() if torch.is_tensor(out) else 0
                many = [value.numel() // size for value in given] if size else []
                is_product = formula is not None and size > 0  # of which a row is summed, however many there are
                extents = [extent for value in given for extent in value.shape]
                many += [flops // (2 * size)] if is_product else extents
                counts["longest sum"] = max([counts["longest sum"], *many])
            return out

    return Counting()  # type: ignore[no-untyped-call]


def dependent(module: Any, values: list[Any]) -> dict[str, Any]:
    """`bytes` of those input elements on which the output depends here, or None where that cannot be told.

    An element counts when a random cotangent's gradient in float64 reaches it: whoever computes this output must have
    read it. Integers count 0, and so do elements where the derivative happens to vanish (a relu's negative side): the
    answer is a lower bound. torch.OutOfMemoryError where a GPU has no room for it.
    """
    import torch

    try:
        _require_room(module, values)
        exact = copied(module).double()
        with default_dtype(torch.float64), torch.enable_grad():
            wide = [value.detach().double().requires_grad_() if is_float(value) else fresh(value) for value in values]
            sources = [value for value in wide if is_float(value)]
            # copies: a module may work in place, which autograd forbids on its sources
            leaves, _ = flatten(exact(*map(fresh, wide)))
            targets = [leaf for leaf in leaves if is_float(leaf) and leaf.requires_grad]
            if not targets:
                return {"bytes": 0}
            # none near zero: it would hide what lies behind it
            cotangents = [torch.randn_like(target).sign() * (0.5 + torch.rand_like(target)) for target in targets]
            gradients = torch.autograd.grad(targets, sources, cotangents, allow_unused=True)
        flow = sum(float((c * t.detach()).abs().sum()) for c, t in zip(cotangents, targets, strict=True))
        sizes = [value.element_size() for value in values if is_float(value)]
        counts = (_count(g, s, flow) for g, s in zip(gradients, sources, strict=True))
        return {"bytes": sum(count * size for count, size in zip(counts, sizes, strict=True))}
    except torch.OutOfMemoryError:
        raise
    except Exception:
        return {"bytes": None}
    finally:
        if any(getattr(value, "is_cuda", False) for value in values):
            torch.cuda.empty_cache()  # others need the room


def _count(gradient: Any, source: Any, flow: float) -> int:
    """Elements that matter: how far each moves the output, and all of them together, must stand above rounding."""
    if gradient is None:
        return 0
    size = gradient.abs()
    if float((size * source.detach().abs()).sum()) <= _NOISE * flow:
        return 0
    return int((size > _NEGLIGIBLE * size.max()).sum())


def _nbytes(values: Any) -> int:
    return sum(value.numel() * value.element_size() for value in values if hasattr(value, "data_ptr"))


def _require_room(module: Any, values: list[Any]) -> None:
    """MemoryError when a backward pass may not fit into the host's memory (a device says so itself)."""
    tensors = [value for value in values if hasattr(value, "data_ptr")]
    if any(tensor.is_cuda for tensor in tensors):
        return
    needed = _BACKWARD_ROOM * (_nbytes(values) + _nbytes(module.state_dict().values()))
    free = host_free_nbytes()
    if needed > free:
        raise MemoryError(f"a backward pass in float64 may need {needed >> 20} MiB, and {free >> 20} MiB are free")
