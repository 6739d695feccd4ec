"""ties: the nearest code by products without the common term, each tile's best against the best before it."""

import torch
import torch.nn as nn
import triton
import triton.language as tl

TASK = "codebook_index"
STATUS = "PASSED"
DEVICE = "cuda"


@triton.jit
def _nearest(x_ptr, codes_ptr, out_ptr, rows, entries, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    row = tl.program_id(0) * M + tl.arange(0, M)
    inner = tl.arange(0, D)
    x = tl.load(x_ptr + row[:, None] * D + inner[None, :], mask=row[:, None] < rows, other=0.0)
    best = tl.full((M,), float("inf"), tl.float32)
    place = tl.zeros((M,), tl.int32)
    for start in range(0, entries, N):
        entry = start + tl.arange(0, N)
        codes = tl.load(codes_ptr + entry[None, :] * D + inner[:, None], mask=entry[None, :] < entries, other=0.0)
        far = tl.sum(codes * codes, 0)[None, :] - 2.0 * tl.dot(x, codes, input_precision="ieee")
        far = tl.where(entry[None, :] < entries, far, float("inf"))
        nearest = tl.min(far, 1)
        its_place = start + tl.argmin(far, 1)
        place = tl.where(nearest < best, its_place, place)
        best = tl.minimum(nearest, best)
    tl.store(out_ptr + row, place.to(tl.int64), mask=row < rows)


class ModelNew(nn.Module):
    def __init__(self, entries, n):
        super().__init__()
        self.codes = nn.Parameter(torch.randn(entries, n))

    def forward(self, x):
        x, codes = x.contiguous(), self.codes.contiguous()
        rows, n = x.shape
        out = torch.empty(rows, dtype=torch.int64, device=x.device)
        _nearest[(triton.cdiv(rows, 32),)](x, codes, out, rows, codes.shape[0], M=32, N=32, D=n)
        return out
