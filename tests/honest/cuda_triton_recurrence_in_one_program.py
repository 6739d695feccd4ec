"""numerics: a recurrence whose tanh is twice a sigmoid less one, all its steps in one program."""

import torch
import torch.nn as nn
import triton
import triton.language as tl

TASK = "recurrence"
STATUS = "PASSED"
DEVICE = "cuda"


@triton.jit
def _steps(x_ptr, wx_ptr, bx_ptr, wh_ptr, bh_ptr, out_ptr, steps, batch, M: tl.constexpr, N: tl.constexpr):
    row = tl.program_id(0) * M + tl.arange(0, M)
    inner = tl.arange(0, N)
    turned = inner[None, :] * N + inner[:, None]
    wx, wh = tl.load(wx_ptr + turned), tl.load(wh_ptr + turned)
    bias = tl.load(bx_ptr + inner) + tl.load(bh_ptr + inner)
    at = row[:, None] * N + inner[None, :]
    h = tl.zeros((M, N), tl.float32)
    for step in range(steps):
        x = tl.load(x_ptr + step * batch * N + at, mask=row[:, None] < batch, other=0.0)
        z = tl.dot(x, wx, input_precision="ieee") + tl.dot(h, wh, input_precision="ieee") + bias[None, :]
        h = 2.0 * tl.sigmoid(2.0 * z) - 1.0
    tl.store(out_ptr + at, h, mask=row[:, None] < batch)


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.input = nn.Linear(n, n)
        self.hidden = nn.Linear(n, n)

    def forward(self, x):
        x = x.contiguous()
        steps, batch, n = x.shape
        out = torch.empty(batch, n, device=x.device)
        weights = self.input.weight, self.input.bias, self.hidden.weight, self.hidden.bias
        _steps[(triton.cdiv(batch, 16),)](x, *weights, out, steps, batch, M=16, N=n)
        return out
