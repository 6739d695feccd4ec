"""A module whose results of 16 bits, or eight, fall on either side of what they are rounded from. Runs inside the
reference's process.

NOT covered: what that says (narrow.py).
"""

from __future__ import annotations

import random
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

from cuda_l1.wire.values import copied, flatten, fresh

_DROPPED = {torch.bfloat16: 16, torch.float16: 13}
"""Bits of a float32 that such a format has not."""
_EIGHTS = (torch.float8_e4m3fn, torch.float8_e5m2)
_HALFWAY = 4
"""Last places of float32 by which a number is moved before it is rounded to eight bits: one that is computed in another
way may err so, and whole numbers, scaled, often lie halfway between two of eight bits."""
NONE = "no operation gives numbers of 16 bits, or of eight"


class Mode(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """What looks at each operation of a module."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # else it imports the compiler first, for three seconds


class _EitherSide(Mode):
    """In here what an operation gives in 16 bits is what it gives in float32, rounded up or down by chance, the nearer
    the likelier; or, `far`, further. What takes no rounding stays. What it gives in eight bits is rounded otherwise
    where it lies halfway."""

    def __init__(self, *, far: bool) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._far, self.found = far, False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        given = tree_flatten((args, kwargs))[0]
        aliases = [each.alias_info for each in func._schema.returns if each.alias_info]
        is_view = bool(aliases) and not any(alias.is_write for alias in aliases)
        if is_view or not any(map(_is_narrow, given)):
            return func(*args, **kwargs)
        wide = None if _writes_wide(func, args) else _in_float32(func, args, kwargs)
        result = func(*args, **kwargs)
        narrow, exact = tree_flatten(result)[0], tree_flatten(wide)[0]
        for index, each in enumerate(narrow):
            if torch.is_tensor(each) and _is_narrow(each):
                self.found = True
                of = exact[index] if len(exact) == len(narrow) else None
                rounding = halfway if each.dtype in _EIGHTS else either_side
                each.copy_(rounding(each, of, far=self._far))
        return result


def either_side(rounded: torch.Tensor, exact: torch.Tensor | None, *, far: bool = False) -> torch.Tensor:
    """One of the two neighbours of what is `exact`, in the format of what it was `rounded` to, by chance; a last place
    away as often as not where that is not known. Two places away at most where it may be `far`."""
    kind, place = torch.finfo(rounded.dtype), 1 << _DROPPED[rounded.dtype]
    reach = 4 if far else 2 if exact is None else 1
    value = (rounded if exact is None else exact).float().contiguous()
    bits = value.view(torch.int32)
    by = (_scattered(bits) & (reach * place - 1)) - (reach - 1) * place // 2
    moved = ((bits + by) & -place).view(torch.float32).clamp_(kind.min, kind.max).to(rounded.dtype)
    stays = ~torch.isfinite(rounded) | (rounded == 0)
    if exact is not None:
        stays |= value == rounded
    return torch.where(stays, rounded, moved)


def halfway(rounded: torch.Tensor, exact: torch.Tensor | None, *, far: bool = False) -> torch.Tensor:
    """The other one of eight bits, by chance, where what is `exact` lies as near to it as float32 tells."""
    if exact is None:
        return rounded
    value, reach = exact.float().contiguous(), _HALFWAY * (4 if far else 1)
    bits = value.view(torch.int32)
    moved = (bits + _scattered(bits).remainder(2 * reach + 1) - reach).view(torch.float32)
    stays = ~torch.isfinite(rounded.float()) | ~torch.isfinite(value) | (value == 0)  # infinity may round to a number
    return torch.where(stays, value, moved).to(rounded.dtype)


def _scattered(bits: torch.Tensor) -> torch.Tensor:
    """Numbers by chance, and of equal bits the same: rows that are alike err alike, and no mean takes that away."""
    one, two, three = (random.getrandbits(30) * 2 + 1 for _ in range(3))
    mixed = (bits ^ one) * two
    mixed = (mixed ^ (mixed >> 15)) * three
    return (mixed ^ (mixed >> 13)) >> 12


def _in_float32(func: Any, args: Any, kwargs: Any) -> Any:
    """What it gives where all that has 16 bits has 32; None where that cannot be asked, it draws, or is not torch's."""
    if func.namespace != "aten" or torch.Tag.nondeterministic_seeded in func.tags:
        return None
    try:
        args, kwargs = tree_map(_widened, (args, kwargs))
        return func(*args, **kwargs)
    except Exception:  # a kernel for 16 bits alone
        return None


def _is_narrow(value: Any) -> bool:
    dtype = value.dtype if torch.is_tensor(value) else value
    return isinstance(dtype, torch.dtype) and (dtype in _DROPPED or dtype in _EIGHTS)


def _widened(value: Any) -> Any:
    if not _is_narrow(value):
        return value
    return torch.float32 if isinstance(value, torch.dtype) else value.float()


def _writes_wide(func: Any, args: Any) -> bool:
    """Whether it changes an argument that is not of 16 bits: not twice."""
    written = [each.alias_info is not None and each.alias_info.is_write for each in func._schema.arguments]
    is_out = any(written[len(args) :])
    return is_out or any(is_written and not _is_narrow(arg) for arg, is_written in zip(args, written, strict=False))


def outputs(module: Any, values: list[Any], targets: list[Any], *, is_copy: bool = True, far: bool = False) -> None:
    """Write the outputs of `module`, or of a copy, on `values` into `targets`, each 16-bit result on either side of
    what it was rounded from. Raises what the module raises, and LookupError where there is no such result."""
    mode, own, values = _EitherSide(far=far), copied(module) if is_copy else module, list(map(fresh, values))
    with torch.no_grad(), mode:
        made = own(*values)
    if not mode.found:
        raise LookupError(NONE)
    for target, leaf in zip(targets, flatten(made)[0], strict=True):
        target.copy_(leaf)
