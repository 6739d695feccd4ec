"""kernels: eighty small steps in one Triton kernel, beside an eager of a millisecond."""

import torch
import torch.nn as nn
import triton
import triton.language as tl

TASK = "steps_of_a_phase"
STATUS = "PASSED"
DEVICE = "cuda"


@triton.jit
def _phase(x_ptr, y_ptr, count, steps, SIZE: tl.constexpr):
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    x = tl.load(x_ptr + at, mask=at < count, other=0.0)
    y = x
    for _ in range(steps):
        y = y + 0.04 * tl.sin(x + y)
    tl.store(y_ptr + at, y, mask=at < count)


class ModelNew(nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.steps = steps

    def forward(self, x):
        x = torch.tanh(x.contiguous())
        y, count = torch.empty_like(x), x.numel()
        _phase[(triton.cdiv(count, 256),)](x, y, count, self.steps, SIZE=256)
        return y
