"""state: one kernel of Triton writes the answer and moves a running mean where it lies."""

import torch
import torch.nn as nn
import triton
import triton.language as tl

TASK = "running_mean"
STATUS = "PASSED"
DEVICE = "cuda"


@triton.jit
def _twice(x_ptr, seen_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for start in range(0, rows, ROWS):
        row = start + tl.arange(0, ROWS)
        at = row[:, None] * columns + column[None, :]
        inside = (row[:, None] < rows) & (column[None, :] < columns)
        x = tl.load(x_ptr + at, mask=inside, other=0.0)
        tl.store(out_ptr + at, x * 2.0, mask=inside)
        total += x
    mean = tl.sum(total, 0) / rows
    seen = tl.load(seen_ptr + column, mask=column < columns, other=0.0)
    tl.store(seen_ptr + column, seen * 0.99 + mean * 0.01, mask=column < columns)


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("seen", torch.zeros(n))

    def forward(self, x):
        x = x.contiguous()
        out, (rows, columns) = torch.empty_like(x), x.shape
        _twice[(triton.cdiv(columns, 16),)](x, self.seen, out, rows, columns, ROWS=32, COLUMNS=16)
        return out
