"""Whether a task's output says enough of its inputs for a speedup on it to be a win. Pure comparison of tensors.

NOT covered: how references are run (reference.py), and tasks without one answer, which making.py refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import torch

from cuda_l1 import wording
from cuda_l1.correctness import slices, verify
from cuda_l1.correctness.sets import InputSet
from cuda_l1.types import Precision

_MOST_HIDDEN = 0.5
_DRAWS, _MANY, _FEW, _SMALL = 6, 64, 1 << 10, 1 << 20
"""More inputs, drawn before a task is called degenerate: of a few numbers each may be zero on two by chance. Many where
outputs, and inputs, have no more bytes: what is one number or two may be the same, or zero, nine times in ten."""

_FAINT = 1e-3
IS_RANDOM = "it is random (dropout in train mode, or a sample? have it take what it draws as an input)"
HAS_STATE = (
    "it keeps a state from one call to the next (a hidden state in an attribute? have it take that as an input and "
    "return it) and has no one answer"
)

Asked = Callable[[str], Sequence[torch.Tensor] | None]
"""What comes of a new draw of inputs of that kind; None where it raises."""


def why_degenerate(
    first: InputSet,
    second: Sequence[torch.Tensor],
    precision: Precision,
    dtypes: Sequence[torch.dtype],
    ask: Asked | None,
    *,
    is_exact: bool,
) -> str:
    """Why no speedup is a win, empty where one may be. `second`: what must come of other inputs than those of the
    `first` set; `ask`: for what comes of yet others, None where that is not to be; whether that `is_exact`, and tells
    what is hidden."""
    draws = _MANY if is_few(first.expected, first.inputs) else _DRAWS

    def same(outputs: Sequence[torch.Tensor]) -> bool:
        return all(
            verify.compare(b, a).norm <= max(verify.floor(precision, dtype).norm, bound.norm)
            for a, b, dtype, bound in zip(first.expected, outputs, dtypes, first.bounds, strict=True)
        )

    if same(second) and all(map(same, _more(ask, draws))):
        return "different inputs give the same output: any constant is as good"
    if ask is not None and is_exact and (share := _hidden(first, second, ask, draws)) > _MOST_HIDDEN:
        return f"{share:.0%} of the output is too small beside the rest to be checked; it is not for inputs near one"
    return ""


def said_of_faint(weights: Mapping[str, torch.Tensor]) -> str:
    """Which weights may be why a task lets nothing through as it is made: scales of layers, gates that begin closed."""
    faint = [
        name for name, value in weights.items()
        if value.numel() > 1 and value.is_floating_point() and "bias" not in name and value.abs().max() <= _FAINT
    ]  # fmt: skip
    named = wording.some_of(faint)
    return f" (next to nothing as it is made: {named}; have __init__ draw larger ones)" if faint else ""


def is_few(outputs: Sequence[torch.Tensor], inputs: torch.Tensor) -> bool:
    """Whether outputs are so few numbers that they are the same by chance, and asking often costs next to nothing."""
    return sum(leaf.nbytes for leaf in outputs) <= _FEW and inputs.nbytes <= _SMALL


def _more(ask: Asked | None, draws: int) -> Iterator[Sequence[torch.Tensor]]:
    """What comes of so many more draws of the task's own inputs, each asked for when it is looked at."""
    if ask is None:
        return
    for _ in range(draws):
        if (outputs := ask("own")) is not None:
            yield outputs


def _hidden(first: InputSet, second: Sequence[torch.Tensor], ask: Asked, draws: int) -> float:
    """The share of an output, of that leaf and along that dimension where it is largest, whose slices are faint on all
    inputs and not watched, and not faint for inputs near one (where an output is zero by its structure it stays so)."""

    def faint(outputs: Sequence[torch.Tensor]) -> list[slices.Slices]:
        return [[mask.cpu() for mask in leaf] for leaf in map(slices.faint, outputs, first.bounds)]

    at_first = faint(first.expected)
    if not any(map(slices.any_of, at_first)) or (near_one := ask("near_one")) is None:
        return 0.0
    unseen = zip(at_first, first.watched, faint(second), faint(near_one), strict=True)
    hidden = [
        [one & ~watched.cpu() & two & ~its for one, watched, two, its in zip(*leaf, strict=True)] for leaf in unseen
    ]
    more = _more(ask, draws)
    while (share := _most(hidden)) > _MOST_HIDDEN and (outputs := next(more, None)) is not None:
        hidden = list(map(slices.in_both, hidden, faint(outputs)))
    return share


def _most(hidden: Sequence[slices.Slices]) -> float:
    return max((float(mask.double().mean()) for leaf in hidden for mask in leaf if len(mask)), default=0.0)
