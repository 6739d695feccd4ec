"""Square matrices that a state is multiplied by again and again, weights or inputs: so that a recurrence remembers.

NOT covered: under which other weights a recurrence remembers, and where any of them are tried (redrawn.py,
reweighted.py, sets.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from cuda_l1.inputs.traits import has_both_signs, is_symmetric, rms

STICKY, ALIGNED, ORTHOGONAL = "sticky", "aligned", "orthogonal"
_STUCK, _BESIDE = 8.0, 1 / 4
_GAIN, _MORE_GAIN = 1.1, 0.1
"""A state becomes so much larger at each step, on inputs that limit nothing. A layer of 64 units forgets the first 32
of 128 steps in 7 draws of 100 of steep weights, and in none of 60 at either end of this gain. Less grows too little for
512 steps, more is refused there (docs/log.md)."""
OF_INPUTS = (STICKY, ORTHOGONAL)
"""How inputs come that are such matrices, one for each step mostly."""
_WIDEST, _MOST = 64, 1 << 22
"""Of inputs larger ones may be pictures, and many take seconds."""


def is_square(shape: Sequence[int]) -> bool:
    """Whether it is a matrix's, or a stack's of them, that a state may be multiplied by again and again; no
    convolution's."""
    return 2 <= len(shape) <= 3 and shape[-1] == shape[-2] > 1


def _aligned(value: Any) -> Any:
    """One that lets hardly anything but one direction pass, and that as the largest of its eigenvalues would be if its
    numbers had nothing to do with one another: divided by its norm it forgets slowly, where others forget at once."""
    count = value.shape[-1]
    along = torch.nn.functional.normalize(torch.randn_like(value[..., :1]), dim=-2)
    return value * (_BESIDE / count**0.5) + along @ along.mT * (rms(value) * count**0.5)


def _orthogonal(value: Any) -> Any:
    """A rotation, a little enlarged: it keeps of a state all directions alike, so that none of a first input's fades,
    and mixes them at each step."""
    return _rotations(value, _GAIN + _MORE_GAIN * float(torch.rand(())))


def _rotations(value: Any, gain: float) -> Any:
    drawn = torch.randn_like(value, dtype=torch.float32) / value.shape[-1] ** 0.5
    return (torch.linalg.matrix_exp(drawn - drawn.mT) * gain).to(value.dtype)


def _stuck(value: Any) -> Any:
    """One that is zero along its diagonal, and so far below beside it that, where it is taken for logarithms, hardly
    anything follows a state but that state."""
    return torch.where(torch.eye(value.shape[-1], dtype=torch.bool, device=value.device), 0, value / 2 - _STUCK)


SQUARES = {STICKY: _stuck, ALIGNED: _aligned, ORTHOGONAL: _orthogonal}
"""How one that is trained is drawn; all others stay as they are."""


def bears_squares(shape: Sequence[int]) -> bool:
    """Whether inputs of that shape may be such matrices."""
    return len(shape) > 1 and 1 < shape[-1] == shape[-2] <= _WIDEST


def as_square(kind: str, value: Any, _seed: int) -> Any:
    """Inputs of both signs as one of `OF_INPUTS`; rotations that enlarge nothing, for what comes in at each step counts
    beside the state. What is symmetric promises more than a recurrence needs."""
    bears = bears_squares(value.shape) and value.numel() <= _MOST and has_both_signs(value) and not is_symmetric(value)
    if not bears or value.is_complex():
        return value
    return _stuck(value) if kind == STICKY else _rotations(value, 1.0)
