"""What a task's module gives in float64, by which all outputs are judged. Runs inside the reference's process."""

from __future__ import annotations

import contextlib
import copy
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from cuda_l1.judge.values import (
    ALL_RESULTS,
    RESULTS_TOO,
    SECOND_ALONE,
    default_dtype,
    flatten,
    fresh,
    is_float,
    is_number,
    rounded,
)

_aten = torch.ops.aten
_FACTORS = {
    **dict.fromkeys((_aten.mm, _aten.bmm, _aten.mv, _aten.dot, _aten.convolution), (0, 1)),
    **dict.fromkeys((_aten.addmm, _aten.addmv, _aten.addbmm, _aten.baddbmm), (1, 2)),
    _aten._scaled_dot_product_flash_attention_for_cpu: (0, 1, 2),
}
"""What matrix products and convolutions end as, however a module calls them, and which arguments are multiplied."""


class _InProducts(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """In here some of what products take and give is rounded, and nothing else; or all that is no view."""

    def __init__(self, rounding: str, some: str) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._rounding, self._some = rounding, some

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # else it imports the compiler first, for three seconds

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if self._some == ALL_RESULTS:
            result = func(*args, **(kwargs or {}))
            is_new = not any(each.alias_info for each in func._schema.returns)
            return rounded(result, self._rounding) if is_new and is_number(result) else result
        factors = _FACTORS.get(func.overloadpacket, ())
        for index in factors[-1:] if self._some == SECOND_ALONE else factors:
            if is_number(args[index]):
                args = (*args[:index], rounded(args[index], self._rounding), *args[index + 1 :])
        result = func(*args, **(kwargs or {}))
        is_rounded = factors and self._some == RESULTS_TOO and is_number(result)
        return rounded(result, self._rounding) if is_rounded else result


def _wide(value: Any) -> Any:
    """In double precision where it is numbers of any other, complex ones too."""
    if torch.is_tensor(value) and value.is_complex():
        return value.to(torch.complex128)
    return value.double() if is_float(value) else value


def outputs(
    module: Any, values: list[Any], targets: list[Any], rounding: str | None = None, in_products: str = ""
) -> None:
    """Write the outputs of a float64 copy of `module` on `values` into `targets`. With `rounding`, inputs and factors
    among the weights (of two dimensions or more) are rounded first, see `values.rounded`; or `in_products` alone, what
    these take and give (`values.FACTORS` and the others), or what all operations give. Raises what the module raises.
    All that it takes is free when it returns."""
    mode = _InProducts(rounding, in_products) if rounding and in_products else contextlib.nullcontext()
    rounding = None if in_products else rounding
    exact = copy.deepcopy(module)._apply(_wide)
    with default_dtype(torch.float64), torch.no_grad(), mode:
        wide = [fresh(value) if (its := _wide(value)) is value else its for value in values]
        if rounding:
            wide = [rounded(value, rounding) if is_number(value) else value for value in wide]
            for weight in exact.state_dict().values():
                if is_number(weight) and weight.dim() > 1:
                    weight.copy_(rounded(weight, rounding))
        leaves, _ = flatten(exact(*wide))
        for target, leaf in zip(targets, leaves, strict=True):
            target.copy_(leaf)
