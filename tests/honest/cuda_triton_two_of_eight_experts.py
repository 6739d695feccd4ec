"""nondeterminism: tokens sorted by their experts, whose two layers are one kernel that adds to the sums of tokens."""

import torch
import torch.nn as nn
import triton
import triton.language as tl

TASK = "two_of_eight_experts"
STATUS = "PASSED"
DEVICE = "cuda"


@triton.jit
def _layers(
    x_ptr, inner_ptr, outer_ptr, order_ptr, starts_ptr, shares_ptr, out_ptr,
    M: tl.constexpr, N: tl.constexpr, INNER: tl.constexpr,
):  # fmt: skip
    expert = tl.program_id(0)
    begin = tl.load(starts_ptr + expert) + tl.program_id(1) * M
    end = tl.load(starts_ptr + expert + 1)
    if begin < end:
        place = begin + tl.arange(0, M)
        pair = tl.load(order_ptr + place, mask=place < end, other=0)
        share = tl.load(shares_ptr + pair, mask=place < end, other=0.0)
        at = (pair // 2)[:, None] * N + tl.arange(0, N)[None, :]
        x = tl.load(x_ptr + at, mask=place[:, None] < end, other=0.0)
        down, across = tl.arange(0, N), tl.arange(0, INNER)
        inner = tl.load(inner_ptr + (expert * N + down[:, None]) * INNER + across[None, :])
        outer = tl.load(outer_ptr + (expert * INNER + across[:, None]) * N + down[None, :])
        hidden = tl.maximum(tl.dot(x, inner, input_precision="ieee"), 0.0)
        out = tl.dot(hidden, outer, input_precision="ieee") * share[:, None]
        tl.atomic_add(out_ptr + at, out, mask=place[:, None] < end)


class ModelNew(nn.Module):
    def __init__(self, n, m, experts):
        super().__init__()
        self.gate = nn.Linear(n, experts)
        self.inner = nn.Parameter(torch.randn(experts, n, m) / n**0.5)
        self.outer = nn.Parameter(torch.randn(experts, m, n) / m**0.5)

    @torch.no_grad()
    def forward(self, x):
        x, (experts, n, m) = x.contiguous(), self.inner.shape
        best = torch.topk(self.gate(x), 2, dim=-1)  # of the logits, whose order the shares have
        shares = torch.softmax(best.values, dim=-1)
        its, order = torch.sort(best.indices.flatten())
        starts = torch.searchsorted(its, torch.arange(experts + 1, device=x.device))
        out = torch.zeros_like(x)
        grid = experts, triton.cdiv(order.numel(), 32)
        _layers[grid](x, self.inner, self.outer, order, starts, shares, out, M=32, N=n, INNER=m)
        return out
