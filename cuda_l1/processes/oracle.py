"""What a task's module gives in float64, by which all outputs are judged. Runs inside the reference's process."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import math
import random
import re
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_map

from cuda_l1.inputs.parts import held_along
from cuda_l1.inputs.rounding import (
    ALL_RESULTS,
    BY_CHANCE,
    DIVISORS,
    EITHER_SIDE,
    EITHER_SIDE_FAR,
    EITHER_SIDE_KEPT,
    LONG_SUMS,
    MOVED_TWICE,
    RESULTS_TOO,
    SECOND_ALONE,
    TIES_APART,
    rounded,
    which_are_whole,
)
from cuda_l1.inputs.traits import SMALL_INTEGERS, WIDE_INTEGERS, is_float8
from cuda_l1.processes import either
from cuda_l1.processes.source import attempt
from cuda_l1.wire.values import copied, default_dtype, flatten, fresh, is_float, is_number

_aten, _finfo = torch.ops.aten, torch.finfo
_FACTORS = {
    **dict.fromkeys((_aten.mm, _aten.bmm, _aten.mv, _aten.dot, _aten.convolution), (0, 1)),
    **dict.fromkeys((_aten.addmm, _aten.addmv, _aten.addbmm, _aten.baddbmm), (1, 2)),
    _aten._scaled_dot_product_flash_attention_for_cpu: (0, 1, 2),
}
"""What matrix products and convolutions end as, however a module calls them, and which arguments are multiplied."""
_DIVISORS = {_aten.div: 1, _aten.div_: 1, _aten.addcdiv: 2, _aten.reciprocal: 0, _aten.rsqrt: 0, _aten.pow: 0}
"""Which argument these divide by."""
_SUMS = re.compile(r"sum|mean|var|std|norm|prod|softmax|dist|(scatter|index)_(add|reduce)")
"""Other operations whose results are sums of many terms, by name."""
_DRAWS = (_aten.rand, _aten.randn, _aten.rand_like, _aten.randn_like, _aten.normal)
_FILLS = (_aten.normal_, _aten.uniform_, _aten.bernoulli_, _aten.exponential_, _aten.log_normal_, _aten.cauchy_)
"""What makes random numbers, and what fills a tensor with such."""
_COPIES = (_aten._to_copy.default, _aten.clone.default)
_CHOICES = (_aten.sort, _aten.topk, _aten.kthvalue, _aten.argmax, _aten.argmin)
_COMPARES = (_aten.gt, _aten.ge, _aten.lt, _aten.le, _aten.maximum, _aten.minimum, _aten.searchsorted, _aten.bucketize)
_FIRST = (_aten.argmax.default, _aten.argmin.default, _aten.max.dim, _aten.min.dim)
"""Of equal ones these choose the first, as torch says: of flags that is where something holds first."""
_RANKS = (*_CHOICES, _aten.max, _aten.min, _aten.cummax, _aten.cummin, _aten.median, _aten.nanmedian, _aten.mode,
          _aten._unique2, _aten.unique_dim, _aten.unique_consecutive)  # fmt: skip
"""Where one number may be taken for another that equals it."""
_KEEP_FLAGS = (_aten._to_copy, _aten.mul)
_APART, _TINY, _ANY = 2.0**-21, 2.0**-126, 2.0**100
"""How far apart last places of float32 are, and what is the smallest number of which it holds them all: shares of a
softmax below it may all be zero, and which of these is chosen is free. And about how large what is no number may be."""
_OF_TERMS = 0.125
"""Of four units in the last place, times the root of how many terms there are: where these move by as much, sums do by
three times what adding them one after the other in float32 errs by, which is the most that any order does."""


class _InProducts(either.Mode):
    """In here some of what products take and give is rounded, and nothing else; or all that is no view, and terms of
    sums the more the longer these are; or nothing, and zeros that are divided by are negative, and zero by zero is one
    if it is asked for by MOVED_TWICE."""

    def __init__(self, rounding: str, some: str) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._rounding, self._some = rounding, some
        self._drawn = random.getrandbits(32) if rounding == BY_CHANCE else 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if self._some == ALL_RESULTS:
            result = func(*args, **(kwargs or {}))
            is_new = not any(each.alias_info for each in func._schema.returns)
            return rounded(result, self._rounding) if is_new and is_number(result) else result
        if self._some == TIES_APART:
            return self._with_ties_apart(func, args, kwargs or {})
        if self._some == LONG_SUMS:
            return self._moved_by_terms(func, args, kwargs or {})
        if self._some == DIVISORS:
            index = _DIVISORS.get(func.overloadpacket, -1)
            if index >= 0 and is_float(args[index]):
                zeros = args[index] == 0
                divisor = torch.where(zeros, -torch.zeros_like(args[index]), args[index])
                result = func(*args[:index], divisor, *args[index + 1 :], **(kwargs or {}))
                return result.masked_fill_(zeros & result.isnan(), 1) if self._rounding == MOVED_TWICE else result
            return func(*args, **(kwargs or {}))
        factors = _FACTORS.get(func.overloadpacket, ())
        for index in factors[-1:] if self._some == SECOND_ALONE else factors:
            if is_number(args[index]):
                args = (*args[:index], rounded(args[index], self._rounding), *args[index + 1 :])
        result = func(*args, **(kwargs or {}))
        is_rounded = factors and self._some == RESULTS_TOO and is_number(result)
        return rounded(result, self._rounding) if is_rounded else result

    def _with_ties_apart(self, func: Any, args: Any, kwargs: Any) -> Any:
        """What that operation gives of numbers that are `_apart`; of flags, which nothing rounds, as they are."""
        packet = func.overloadpacket
        if func in _FIRST and _are_flags(args[0]):
            return func(*args, **kwargs)
        is_new = func not in _COPIES and not any(each.alias_info for each in func._schema.returns)
        chooses, of_numbers = packet in _CHOICES or func in _FIRST, all(map(is_number, args))  # and not with a number
        of_flags = packet in _KEEP_FLAGS and all(map(_are_flags, args))
        moved = functools.partial(
            self._apart,
            zeros=chooses or (packet in _COMPARES and of_numbers),
            whole=packet in _RANKS or (packet in (*_COMPARES, _aten.eq, _aten.ne) and of_numbers),
            chooses=chooses,
        )
        args = tree_map(_in_float64, args) if chooses else args
        result = func(*(tree_map(moved, args) if is_new else args), **kwargs)
        if of_flags:
            result.are_flags = True
        return result

    def _apart(self, value: Any, *, zeros: bool, whole: bool, chooses: bool) -> Any:
        """Numbers two last places of float32 away at most, or of their own where that is less exact, each by its own;
        equal ones too, `whole` ones where one may be taken for another, for sums of ones are counts, which nothing
        rounds; and zeros where these are compared with others: elsewhere a zero says that something is left out. MOVED
        is one way and MOVED_TWICE the other: of two that are equal each is the larger once. Those next to nothing are
        so in one order for all rows: who takes the third of equal ones does so in all. And what is no number is any
        where one is chosen: whether it comes first, or is taken out, hangs on how it came about."""
        if not is_float(value) or is_float8(value):
            return value
        self._drawn += 1
        drawn = torch.Generator(value.device).manual_seed(self._drawn)  # its own: a host's draws half a GB/s
        sign, kind = -1 if self._rounding == MOVED_TWICE else 1, _finfo(value.dtype)

        def by(*shape: int) -> torch.Tensor:
            return sign * (torch.rand(shape, generator=drawn, dtype=torch.float64, device=value.device) - 0.5)

        made = value.double() * (1 + 2 * max(_APART, 2 * kind.eps) * by(*value.shape))
        made = made if whole else torch.where(which_are_whole(value), value, made)
        made = torch.where(made.isnan(), _ANY * by(*value.shape), made) if chooses else made
        for along, extent in enumerate(value.shape if zeros else ()):
            made += 2 * max(_TINY, kind.tiny) * held_along(by(extent), value, along)
        return made.to(value.dtype)

    def _moved_by_terms(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Terms are moved by themselves, for of those that cancel less is left than is lost of them, and so is what
        they add up to. Whole numbers stay: what was rounded to them may be cut off to them again."""
        is_new = not any(each.alias_info for each in func._schema.returns)
        times = 1.0
        if func.overloadpacket is _aten.histc and is_number(args[0]):
            args = (_beside_the_edge(self._rounding, *args), *args[1:])
        if func.overloadpacket in _FACTORS or _SUMS.search(func.overloadpacket.__name__):
            result = func(*args, **kwargs) if is_new and func.overloadpacket not in _FACTORS else args[0]
            times = max(1.0, _OF_TERMS * math.sqrt(_terms(func.overloadpacket, args, result)))
            own = [each.alias_info is not None and each.alias_info.is_write for each in func._schema.arguments]
            args = tuple(
                rounded(arg, self._rounding, times) if is_number(arg) and not is_written else arg
                for arg, is_written in zip(args, own, strict=False)
            )
        result = func(*args, **kwargs)
        if not is_new or not is_number(result):
            return result
        moved = rounded(result, self._rounding, times)
        return moved if result.is_complex() else torch.where(result == result.round(), result, moved)


class _Widened(either.Mode):
    """In here nothing is cast to float32, nor made in it, where a module names it: nobody asks the rounding of
    `x.float()` of a candidate, and no product takes two types. But for what is drawn, which would be others: that is
    drawn in float32 even where no type is named. And what a number is to be equal to is what float32 holds of that: of
    `1e20` another one, and that is what inputs hold. Not where it is an order: `x > 6.3` in C is one of doubles."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.found = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is _aten.view.dtype:
            self.found = True
            raise TypeError("the bits of float32 are read")
        if torch.Tag.nondeterministic_seeded in func.tags:
            return self._drawn(func, args, kwargs)
        is_asked = func.overloadpacket in (_aten.eq, _aten.ne) and isinstance(args[1], float)
        if is_asked and args[0].dtype is torch.float64:
            held = ctypes.c_float(args[1]).value
            self.found, args = self.found or held != args[1], (args[0], held)
        if kwargs.get("dtype") is torch.float32:
            self.found, kwargs = True, {**kwargs, "dtype": torch.float64}
        return func(*args, **kwargs)

    def _drawn(self, func: Any, args: Any, kwargs: Any) -> Any:
        """In float64 a generator that `forward` seeds gives other numbers than in float32."""
        its = args[0].dtype if args and torch.is_tensor(args[0]) else torch.float64
        if its is not torch.float64:
            return func(*args, **kwargs)
        if func.overloadpacket in _FILLS:
            self.found = True
            return args[0].copy_(func(args[0].float(), *args[1:], **kwargs))
        is_typed = kwargs.get("dtype") or all(each.name != "dtype" for each in func._schema.arguments)
        if func.overloadpacket not in _DRAWS or is_typed:
            return func(*args, **kwargs)
        self.found = True
        return func(*args, **{**kwargs, "dtype": torch.float32}).double()


class _Exactness:
    """In here `torch.finfo` says of what a module asks for what it says of the module's `own` types, in the order of
    its asking: what guards a logarithm in float32 is float32's last place in the oracle too."""

    def __init__(self, own: Sequence[torch.dtype] = ()) -> None:
        self.asked: list[torch.dtype] = []
        self._own = own

    def __enter__(self) -> _Exactness:
        torch.finfo = self._of  # type: ignore[assignment, misc]
        return self

    def __exit__(self, *_: object) -> None:
        torch.finfo = _finfo  # type: ignore[misc]

    def _of(self, type: torch.dtype | None = None) -> torch.finfo:  # named as torch's own names it
        self.asked.append(type or torch.get_default_dtype())
        at = min(len(self.asked), len(self._own)) - 1
        return _finfo(self._own[at] if self._own else self.asked[-1])


_types_asked: weakref.WeakKeyDictionary[torch.nn.Module, list[torch.dtype]] = weakref.WeakKeyDictionary()
"""How exact which types are, a module asks as it is, once its oracle has asked for any."""
_casts: weakref.WeakKeyDictionary[torch.nn.Module, bool] = weakref.WeakKeyDictionary()
"""Whether a module names float32 in its calls, once that is known: to look costs each operation some microseconds.
False too where it does not run without: who reads the bits of numbers, say."""


def _are_flags(value: Any) -> bool:
    """Whether it is booleans, or numbers that some were made into."""
    return torch.is_tensor(value) and (value.dtype is torch.bool or getattr(value, "are_flags", False))


def _in_float64(value: Any) -> Any:
    """Integers as numbers that can be moved."""
    return value.double() if torch.is_tensor(value) and value.dtype in (*SMALL_INTEGERS, *WIDE_INTEGERS) else value


def _beside_the_edge(rounding: str, value: Any, _: int = 0, low: float = 0.0, high: float = 0.0) -> Any:
    """Moved by last places of how far they are from a histogram's lower edge, which it takes off first."""
    if not value.numel():
        return value
    edge = low if low != high else value.min()
    return rounded(value - edge, rounding) + edge


def _terms(kind: Any, args: Any, result: Any) -> int:
    """How many each element of that result is the sum of."""
    if kind is _aten.convolution:
        weight, is_transposed, groups = args[1], args[6], args[8]
        return int(weight.numel() // weight.shape[1] // groups if is_transposed else weight[0].numel())
    if kind in _FACTORS:
        factor, *others = (args[index] for index in _FACTORS[kind])
        return int(max(factor.shape[-1], others[-1].shape[-2] if len(others) > 1 else 0))
    numbers = [arg for arg in args if is_number(arg)]
    least = result[-1] if isinstance(result, (tuple, list)) else result  # a norm gives what it is divided by last
    if not numbers or not torch.is_tensor(least) or not least.numel():
        return 1
    if "dist" in kind.__name__:
        return int(numbers[0].shape[-1])
    if re.search("cum|softmax", kind.__name__):
        return int(least.shape[args[1]]) if least.dim() else 1
    return int(max(each.numel() for each in numbers) // least.numel())


def _wide(value: Any) -> Any:
    """In double precision where it is numbers of any other, complex ones too."""
    if torch.is_tensor(value) and value.is_complex():
        return value.to(torch.complex128)
    return value.double() if is_float(value) else value


def outputs(
    module: Any, values: list[Any], targets: list[Any], rounding: str | None = None, in_products: str = ""
) -> None:
    """Write the outputs of a float64 copy of `module` on `values` into `targets`. With `rounding`, inputs and factors
    among the weights (of two dimensions or more) are `rounded` first; or `in_products` alone, what these take and give
    (`FACTORS` and the others), or what all operations give. Raises what the module raises. All that it takes is free
    when it returns. `EITHER_SIDE` is of the module as it is, and of no copy in float64."""
    if in_products in (EITHER_SIDE, EITHER_SIDE_FAR, EITHER_SIDE_KEPT):
        is_copy, far = in_products != EITHER_SIDE_KEPT, in_products == EITHER_SIDE_FAR
        either.outputs(module, values, targets, is_copy=is_copy, far=far)
        return
    write = functools.partial(_write, module, values, targets, rounding, in_products)
    write = functools.partial(_as_exact, module, values, write)
    if _casts.get(module, True):
        widened = _Widened()
        try:
            write(widened)
            _casts[module] = widened.found
            return
        except Exception:
            if not widened.found:
                raise
            _casts[module] = False
    write(contextlib.nullcontext())


def _as_exact(module: Any, values: list[Any], write: Callable[[Any], None], within: Any) -> None:
    """Write `within` that what a module gives, to whom types are as exact as those that it asks for as it is."""
    with _Exactness(_types_asked.get(module, ())) as exactness:
        write(within)
    if exactness.asked and module not in _types_asked:
        with torch.no_grad(), _Exactness() as as_it_is:
            copied(module)(*map(fresh, values))
        _types_asked[module] = as_it_is.asked
        _as_exact(module, values, write, within)


def _write(
    module: Any,
    values: list[Any],
    targets: list[Any],
    rounding: str | None,
    in_products: str,
    within: contextlib.AbstractContextManager[Any],
) -> None:
    """Those of a float64 copy of the module, which is called `within` that."""
    mode = _InProducts(rounding, in_products) if rounding and in_products else contextlib.nullcontext()
    rounding = None if in_products else rounding
    exact = copied(module)._apply(_wide)
    for each in exact.modules():  # tables that are plain attributes
        vars(each).update({name: _wide(value) for name, value in vars(each).items() if is_number(value)})
    with default_dtype(torch.float64), torch.no_grad(), mode:
        wide = [fresh(value) if (its := _wide(value)) is value else its for value in values]
        if rounding:
            wide = [rounded(value, rounding) if is_number(value) else value for value in wide]
            for weight in exact.state_dict().values():
                if is_number(weight) and weight.dim() > 1:
                    weight.copy_(rounded(weight, rounding))
        with within:
            leaves, _ = flatten(exact(*wide))
        for target, leaf in zip(targets, leaves, strict=True):
            target.copy_(leaf)


def on_the_host(module: Any, values: list[Any], how: dict[str, Any] | None, targets: Callable[[], list[Any]]) -> None:
    """Call a copy of the module on the CPU, or, if that says `how`, its oracle, whose outputs are like `targets`.
    RefusalError where it raises."""
    values = [value.cpu() if torch.is_tensor(value) else value for value in values]
    mine = copied(module).cpu()
    if how is None:
        attempt("forward", lambda: mine(*values))
        return
    kept = [torch.empty_like(target, device="cpu") for target in targets()]
    attempt("oracle", lambda: outputs(mine, values, kept, **how))
