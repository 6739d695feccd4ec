"""kernels: tokens in the order of their experts, whose tiles Triton multiplies by one expert's weights each."""

import torch
import torch.nn as nn
import triton
import triton.language as tl

TASK = "experts_given"
STATUS = "PASSED"
DEVICE = "cuda"


@triton.jit
def _products(x_ptr, w_ptr, order_ptr, starts_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    expert = tl.program_id(0)
    begin = tl.load(starts_ptr + expert) + tl.program_id(1) * M
    end = tl.load(starts_ptr + expert + 1)
    if begin < end:
        inner = tl.arange(0, N)
        place = begin + tl.arange(0, M)
        token = tl.load(order_ptr + place, mask=place < end, other=0)
        at = token[:, None] * N + inner[None, :]
        x = tl.load(x_ptr + at, mask=place[:, None] < end, other=0.0)
        w = tl.load(w_ptr + (expert * N + inner[:, None]) * N + inner[None, :])
        tl.store(out_ptr + at, tl.dot(x, w, input_precision="ieee"), mask=place[:, None] < end)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(16, 32, 32) / 6)

    def forward(self, x, expert):
        x, weight = x.contiguous(), self.weight.contiguous()
        experts, n, _ = weight.shape
        its, order = torch.sort(expert)
        starts = torch.searchsorted(its, torch.arange(experts + 1, device=x.device))
        out = torch.empty_like(x)
        _products[(experts, triton.cdiv(x.shape[0], 32))](x, weight, order, starts, out, M=32, N=n)
        return out
