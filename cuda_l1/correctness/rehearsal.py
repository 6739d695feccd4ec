"""Values that the reference's process does not outlive: an index or a probability out of range raises on a CPU, and on
a GPU it is an assertion that ends all that a process could do; and some functions come to no end (`torch.matrix_exp` of
infinities on a GPU, https://github.com/pytorch/pytorch/issues/149335).

Where integers may be such an index the reference is called on the CPU first. A session that loses its process all the
same is opened once more: then all is asked on the CPU first, or without the values that it did not come back from.

NOT covered: contenders; what is drawn for them the reference has met.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from cuda_l1.correctness.sets import WEIGHTS
from cuda_l1.types import Finding
from cuda_l1.wire.link import RefusalError

_LOST = re.compile(r"CUDA error: (?!out of memory)")


class Care(NamedTuple):
    """What is known of values by which a process was lost."""

    rehearses: bool = False
    """Whether all is asked on the CPU first."""
    left_out: tuple[tuple[str, int], ...] = ()
    """Kinds of values that it did not come back from, each with the index of the weights."""

    @property
    def named(self) -> str:
        """Those kinds, for a message."""
        kinds = ((kind, f" under {WEIGHTS[which]} weights" if which else "") for kind, which in self.left_out)
        return ", ".join(f"{kind} values{weights}" for kind, weights in kinds)

    @property
    def notes(self) -> list[Finding]:
        """What is to be said of it beside every verdict."""
        said = []
        if self.rehearses:
            why = "on other values it ends its process on a GPU (an index or a probability out of range?)"
            detail = f"{why}: each is tried on the CPU first, and left out where it raises"
            said.append(Finding(check="rehearsed", detail=detail))
        if self.left_out:
            detail = f"the reference gave no answer in time on {self.named}: left out"
            said.append(Finding(check="no_answer", detail=detail))
        return said


PLAIN = Care()


class LostError(Exception):
    """The reference's process can do nothing more; a session may be opened once more, with that `care`."""

    def __init__(self, care: Care) -> None:
        super().__init__("the reference's process was lost")
        self.care = care


def has_lost_device(refusal: RefusalError) -> bool:
    """Whether its process says that it can do nothing more on a GPU."""
    return _LOST.search(str(refusal)) is not None
