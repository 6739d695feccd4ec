"""What a task's module gives in float64, by which all outputs are judged. Runs inside the reference's process."""

from __future__ import annotations

import copy
from typing import Any

import torch

from cuda_l1.judge.values import default_dtype, flatten, fresh, rounded


def outputs(module: Any, values: list[Any], targets: list[Any], rounding: str | None = None) -> None:
    """Write the outputs of a float64 copy of `module` on `values` into `targets`. With `rounding`, inputs and factors
    among the weights (of two dimensions or more) are rounded first, see `values.rounded`. Raises what the module
    raises. All that it takes is free when it returns."""
    exact = copy.deepcopy(module).double()
    with default_dtype(torch.float64), torch.no_grad():
        wide = [value.double() if _is_float(value) else fresh(value) for value in values]
        if rounding:
            wide = [rounded(value, rounding) if _is_float(value) else value for value in wide]
            for weight in exact.state_dict().values():
                if weight.is_floating_point() and weight.dim() > 1:
                    weight.copy_(rounded(weight, rounding))
        leaves, _ = flatten(exact(*wide))
        for target, leaf in zip(targets, leaves, strict=True):
            target.copy_(leaf)


def _is_float(value: Any) -> bool:
    return torch.is_tensor(value) and value.is_floating_point()
