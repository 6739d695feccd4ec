"""On which inputs outputs are verified: the task's own values several times over, and other distributions. Pure.

NOT covered: how they are drawn and what must come of them (reference.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import torch

from cuda_l1.judge import slices, verify
from cuda_l1.judge.arena import Leaf
from cuda_l1.judge.values import BLANK, DISTRIBUTIONS, FILLED

SLOTS, OUTPUTS = 2, 3
"""How many sets are verified at a time; the outputs of two calls, and those of the first as they are later."""
OWN = 3
"""Sets of the task's own values: two, and one under an address used before. One more for other weights."""
WEIGHTS = ("own", "other", "far", "steep")
"""By index, see `values.other_weights`."""
REMEMBERING = {2: "own", 3: "small"}
"""Weights under which a recurrence remembers, by index, and what inputs are then: driven hard, it forgets under steep
ones too."""
_RECURS = re.compile(r"\b(for|while|RNN|LSTM|GRU|\w+Cell|\w*scan\w*|cum\w+)\b")
_RANKS = re.compile(
    r"\b(topk|sort|msort|argsort|argmax|argmin|kthvalue|unique)\b"
    r"|^\s*\w+\s*,\s*\w+\s*=.*\b(max|min)\(|\b(max|min)\(.*\)\s*(\[1\]|\.indices\b)", re.MULTILINE
)  # fmt: skip
_LIMITS = re.compile(r"\b(clamp\w*|clip|[Hh]ardtanh|finfo|minimum|maximum|where|[Tt]hreshold|nan_to_num)\b")
_WITH_TIES = ("cubed", "large", "huge", "integers", "sparse", BLANK)
_BUDGET_BYTES = {"cpu": 512 << 20, "cuda": 4 << 30}


class InputSet(NamedTuple):
    """One set of inputs to verify on, and what must come out."""

    kind: str
    """`own`, or one of `values.DISTRIBUTIONS`."""
    number: int
    weights: int
    """Index into `WEIGHTS`."""
    inputs: torch.Tensor
    """A slot's row, on the device or, where that has no room for all sets, on the host; so is what is expected."""
    expected: list[torch.Tensor]
    bounds: list[verify.Bound]
    watched: Sequence[slices.Slices] = ()
    """By output leaf: slices too small for the bounds to see."""

    @property
    def name(self) -> str:
        """For a message."""
        what = f"input set {self.number}" if self.kind == "own" else f"input set {self.number} ({self.kind} values)"
        return f"{what} with {WEIGHTS[self.weights]} weights loaded in place" if self.weights else what


def are_meant(exact: Sequence[torch.Tensor], first: Sequence[torch.Tensor]) -> bool:
    """Whether outputs on values of another distribution can be compared: finite, or infinite in the same places as
    those of the `first` set (a mask), which is no overflow and no formula outside its domain."""
    return all(_is_meant(*leaf) for leaf in zip(exact, first, strict=True) if verify.is_continuous(leaf[0]))


def _is_meant(exact: torch.Tensor, first: torch.Tensor) -> bool:
    finite = torch.isfinite(exact)
    if bool(finite.all()):
        return True
    masked = torch.where(torch.isfinite(first), 0, first).to(exact.device, exact.dtype)
    return bool((torch.where(finite, 0, exact) == masked).all())


def kinds(
    own: int, inputs: Sequence[Leaf], outputs: Sequence[Leaf], device: str, source: str
) -> tuple[list[str], list[str]]:
    """Which sets fit the memory that checks may take: `own` of the task's own first, then distributions. And the
    distributions that do not. `source` is the task's text."""
    each = sum(leaf.nbytes for leaf in inputs) + 4 * sum(leaf.nbytes for leaf in outputs)
    fits = _BUDGET_BYTES[device.partition(":")[0]] // max(each, 1)
    is_real = any(leaf.torch_dtype.is_floating_point or leaf.torch_dtype.is_complex for leaf in inputs)
    others = list(DISTRIBUTIONS) if is_real else [FILLED] if inputs else []
    if _RANKS.search(source) or not all(leaf.torch_dtype.is_floating_point for leaf in outputs):
        # an index among equal values is a free choice: argmax of ties is no error, nor is a softmax that saturates
        others = [kind for kind in others if kind not in _WITH_TIES]
    if not _LIMITS.search(source):  # a million cost exp(x - y) all its digits: for those who must look at it alone
        others = [kind for kind in others if kind != "huge"]
    room = max(fits - own, 0)
    return ["own"] * own + others[:room], others[room:]


def recurs(source: str) -> bool:
    """Whether a task may have a recurrence, by its text."""
    return _RECURS.search(source) is not None
