"""Inputs for the slots of a block that nobody asks for: a candidate that computes all of them ahead pays for it.

NOT covered: inputs so structured that a shifted copy is no input of the task (see docs/judge.md).
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import torch

_AMPLE = 64
"""So many times as many places as decoys, and hardly two fall on one."""
_CELLS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64, 16: torch.int64}
"""What elements of so many bytes are moved as."""


def shifted(
    rng: random.Random, drawn: torch.Tensor, columns: Sequence[tuple[int, int, int]], slots: int
) -> torch.Tensor:
    """A row for each of `slots`: rows of `drawn` (bytes of one input slot each) with the elements of each column (first
    byte, last, bytes of an element) shifted along, each decoy by its own: of what lies twice in a block nothing would
    be asked for."""
    count, lengths = drawn.shape[0], [(last - first) // element for first, last, element in columns]
    secret = torch.Generator().manual_seed(rng.getrandbits(63))
    longest = max([2, *lengths])
    places = count * (longest - 1)
    drawn_at = (
        torch.randint(places, (slots,), generator=secret)
        if places < slots or places > _AMPLE * slots
        else torch.randperm(places, generator=secret)[:slots]
    )
    source, by = drawn_at // (longest - 1), drawn_at % (longest - 1) + 1
    made = drawn[source.to(drawn.device)]
    for (first, last, element), length in zip(columns, lengths, strict=True):
        if length < 2:
            continue
        shift = by if length == longest else torch.randint(1, length, (slots,), generator=secret)
        cell, unit = _CELLS[element], element // _CELLS[element].itemsize
        part = slice(first // cell.itemsize, last // cell.itemsize)
        twice = drawn.view(cell)[:, part].repeat(1, 2).view(-1)
        windows = twice.as_strided((twice.numel() - length * unit + 1, length * unit), (1, 1))
        begins = (source * 2 * length + shift) * unit
        made.view(cell)[:, part] = windows[begins.to(drawn.device)]
    return made
