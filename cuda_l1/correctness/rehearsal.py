"""Values that the reference's process does not outlive: an index or a probability out of range raises on a CPU, and on
a GPU it is an assertion that ends all that a process could do; and some functions come to no end (`torch.matrix_exp` of
infinities on a GPU, https://github.com/pytorch/pytorch/issues/149335).

Where integers may be such an index the reference is called on the CPU first. A session that loses its process all the
same is opened once more: then all is asked on the CPU first, or without the values that it did not come back from.

NOT covered: contenders; what is drawn for them the reference has met.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

import torch

from cuda_l1.correctness.sets import WEIGHTS
from cuda_l1.errors import TaskError
from cuda_l1.inputs.distributions import APART, CROWDED, DOUBLED, PADDED, RAISED, RENAMED, SHARED
from cuda_l1.inputs.fills import FILLS
from cuda_l1.inputs.traits import is_continuous
from cuda_l1.types import Finding, Task
from cuda_l1.wire.link import RefusalError

if TYPE_CHECKING:
    from cuda_l1.correctness.reference import Reference

_LOST = re.compile(r"CUDA error: (?!out of memory)")
_PATIENCE_S, _CALLS = 20.0, 100
_MOST = 8
"""So often at most a session is opened."""


class Care(NamedTuple):
    """What is known of values by which a process was lost."""

    rehearses: bool = False
    """Whether all is asked on the CPU first."""
    left_out: tuple[tuple[str, int], ...] = ()
    """Kinds of values that it did not come back from, each with the index of the weights."""


PLAIN = Care()


class LostError(Exception):
    """The reference's process can do nothing more; a session may be opened once more, with that `care`."""

    def __init__(self, care: Care) -> None:
        super().__init__("the reference's process was lost")
        self.care = care


def has_lost_device(refusal: RefusalError) -> bool:
    """Whether its process says that it can do nothing more on a GPU."""
    return _LOST.search(str(refusal)) is not None


def opened(stack: ExitStack, task: Task, make: Callable[..., Reference]) -> Reference:
    """The reference that `make` makes, opened on that stack; once more, with more care, where it lost its process.
    TaskError where that happens again and again."""
    care = PLAIN
    for _ in range(_MOST):
        try:
            reference = stack.enter_context(make(care=care))
        except LostError as lost:
            care = lost.care
        else:
            reference.notes += _told(care)
            return reference
    raise TaskError(
        f"task {task.name}: the reference gave no answer in time on {_named(care)}: keep it from such values"
    )


def _told(care: Care) -> Iterator[Finding]:
    if care.rehearses:
        said = "on other values it ends its process on a GPU (an index or a probability out of range?)"
        yield Finding(check="rehearsed", detail=f"{said}: each is tried on the CPU first, and left out where it raises")
    if care.left_out:
        yield Finding(check="no_answer", detail=f"the reference gave no answer in time on {_named(care)}: left out")


def _named(care: Care) -> str:
    kinds = ((kind, f" under {WEIGHTS[which]} weights" if which else "") for kind, which in care.left_out)
    return ", ".join(f"{kind} values{weights}" for kind, weights in kinds)


def patience_s(ref: Reference) -> float:
    """How long it may take: on its own values as long as a build, on others as long as a hundred of its calls do, or a
    third of a minute."""
    most = ref.config.build_timeout_s
    return min(most, max(_PATIENCE_S, _CALLS * ref.call_s)) if ref.sets else most


def is_due(ref: Reference, kind: str) -> bool:
    """Whether one of the inputs may be an index, of those that are larger in such a distribution, and all is not
    rehearsed as it is."""
    is_raised = kind.startswith((RAISED, DOUBLED, SHARED, CROWDED, PADDED, RENAMED, APART))
    if ref.device == "cpu" or ref.care.rehearses or (kind not in FILLS and not is_raised):  # or there is no set yet
        return False
    integers = filter(_is_integer, ref.leaves_of(ref.sets[0].inputs))
    return any(is_raised or int(leaf.long().max()) < 1 for leaf in integers)  # of some there is no maximum


def _is_integer(leaf: torch.Tensor) -> bool:
    return not is_continuous(leaf) and leaf.dtype is not torch.bool and leaf.numel() > 0
