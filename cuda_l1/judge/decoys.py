"""Inputs for the slots of a block that nobody asks for: a candidate that computes all of them ahead pays for it.

NOT covered: inputs so structured that a shifted copy is no input of the task (see docs/judge.md).
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import torch

_SHIFTS = 4
"""Different shifts among the decoys of a block."""
_CELLS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64, 16: torch.int64}
"""What elements of so many bytes are moved as."""


def shifted(
    rng: random.Random, drawn: torch.Tensor, columns: Sequence[tuple[int, int, int]], slots: int
) -> torch.Tensor:
    """A row for each of `slots`: rows of `drawn` (bytes of one input slot each) with the elements of each column (first
    byte, last, bytes of an element) shifted along."""
    made = drawn.new_empty(slots, drawn.shape[1])
    for shift in range(_SHIFTS):
        here = made[shift::_SHIFTS]
        chosen = rng.choices(range(drawn.shape[0]), k=here.shape[0])
        source = torch.tensor(chosen, device=drawn.device, dtype=torch.long)
        rows = drawn[source]
        for first, last, element in columns:
            cells = rows.view(_CELLS[element])
            part = cells[:, first // cells.itemsize : last // cells.itemsize]
            by = rng.randrange(1, max((last - first) // element, 2)) * (element // cells.itemsize)
            part.copy_(part.roll(by, dims=1))
        here.copy_(rows)
    return made
