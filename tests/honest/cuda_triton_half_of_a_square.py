"""algebra: products of rows with one another, whose tiles below the diagonal are computed, and written twice."""

import torch
import torch.nn as nn
import triton
import triton.language as tl

TASK = "likeness_of_rows"
STATUS = "PASSED"
DEVICE = "cuda"


@triton.jit
def _tile(x_ptr, out_ptr, rows, features, scale, M: tl.constexpr, K: tl.constexpr):
    if tl.program_id(1) <= tl.program_id(0):
        row = tl.program_id(0) * M + tl.arange(0, M)
        other = tl.program_id(1) * M + tl.arange(0, M)
        out = tl.zeros((M, M), tl.float32)
        for start in range(0, features, K):
            k = start + tl.arange(0, K)
            has_row = (row[:, None] < rows) & (k[None, :] < features)
            has_other = (other[None, :] < rows) & (k[:, None] < features)
            x = tl.load(x_ptr + row[:, None] * features + k[None, :], mask=has_row, other=0.0)
            y = tl.load(x_ptr + other[None, :] * features + k[:, None], mask=has_other, other=0.0)
            out += tl.dot(x, y, input_precision="ieee")
        out = tl.maximum(out * scale, 0.0)
        inside = (row[:, None] < rows) & (other[None, :] < rows)
        tl.store(out_ptr + row[:, None] * rows + other[None, :], out, mask=inside)
        if tl.program_id(1) < tl.program_id(0):
            tl.store(out_ptr + other[None, :] * rows + row[:, None], out, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        rows, features = x.shape
        out, tiles = torch.empty(rows, rows, device=x.device), triton.cdiv(rows, 32)
        _tile[(tiles, tiles)](x, out, rows, features, features**-0.5, M=32, K=32)
        return out
