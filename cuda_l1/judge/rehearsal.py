"""What is asked of the reference on a GPU, asked on the CPU first: an index or a probability out of range raises there,
and a GPU's assertion ends all that its process could do.

The first opening of a session asks so where integers may be such an index. A task that loses its process all the same
(a probability above one, an index that is computed) is opened once more, and then all is rehearsed.

NOT covered: contenders; what is drawn for them the reference has met.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import torch

from cuda_l1.judge import oracle, verify
from cuda_l1.judge.distributions import APART, CROWDED, DOUBLED, PADDED, RAISED, RENAMED, SHARED
from cuda_l1.judge.fills import FILLS
from cuda_l1.judge.link import RefusalError
from cuda_l1.judge.source import attempt
from cuda_l1.types import Finding

if TYPE_CHECKING:
    from cuda_l1.judge.reference import Reference

_LOST = re.compile(r"CUDA error: (?!out of memory)")


class LostDeviceError(Exception):
    """The reference's process can do nothing more on its GPU."""


def has_lost_device(refusal: RefusalError) -> bool:
    """Whether its process says that it can do nothing more on a GPU."""
    return _LOST.search(str(refusal)) is not None


def opened(stack: ExitStack, make: Callable[..., Reference]) -> Reference:
    """The reference that `make` makes, opened on that stack: once more, and rehearsing, where it lost its device."""
    try:
        return stack.enter_context(make())
    except LostDeviceError:
        reference = stack.enter_context(make(rehearses=True))
    detail = "on other values it ends its process on a GPU (an index or a probability out of range?): each is tried on "
    reference.notes.append(Finding(check="rehearsed", detail=f"{detail}the CPU first, and left out where it raises"))
    return reference


def on_the_host(module: Any, values: list[Any], how: dict[str, Any] | None, targets: Callable[[], list[Any]]) -> None:
    """Call a copy of the module on the CPU, or, if that says `how`, its oracle, whose outputs are like `targets`.
    RefusalError where it raises."""
    values = [value.cpu() if torch.is_tensor(value) else value for value in values]
    mine = copy.deepcopy(module).cpu()
    if how is None:
        attempt("forward", lambda: mine(*values))
        return
    kept = [torch.empty_like(target, device="cpu") for target in targets()]
    attempt("oracle", lambda: oracle.outputs(mine, values, kept, **how))


def is_due(ref: Reference, kind: str) -> bool:
    """Whether one of the inputs may be an index, of those that are larger in such a distribution, and all is not
    rehearsed as it is."""
    is_raised = kind.startswith((RAISED, DOUBLED, SHARED, CROWDED, PADDED, RENAMED, APART))
    if ref.device == "cpu" or ref.rehearses or (kind not in FILLS and not is_raised):  # or there is no set yet
        return False
    integers = filter(_is_integer, ref.leaves_of(ref.sets[0].inputs))
    return any(is_raised or int(leaf.long().max()) < 1 for leaf in integers)  # of some there is no maximum


def _is_integer(leaf: torch.Tensor) -> bool:
    return not verify.is_continuous(leaf) and leaf.dtype is not torch.bool and leaf.numel() > 0
