"""counts: a layer's active units are counted as each tile of it is done, so that none of it is written."""

import torch
import torch.nn as nn
import triton
import triton.language as tl

TASK = "how_many_active"
STATUS = "PASSED"
DEVICE = "cuda"


@triton.jit
def _count(x_ptr, w_ptr, b_ptr, out_ptr, rows, words, features, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    row = tl.program_id(0) * M + tl.arange(0, M)
    word = tl.program_id(1) * N + tl.arange(0, N)
    out = tl.zeros((M, N), tl.float32)
    for start in range(0, features, K):
        k = start + tl.arange(0, K)
        has_row = (row[:, None] < rows) & (k[None, :] < features)
        has_word = (word[None, :] < words) & (k[:, None] < features)
        x = tl.load(x_ptr + row[:, None] * features + k[None, :], mask=has_row, other=0.0)
        w = tl.load(w_ptr + word[None, :] * features + k[:, None], mask=has_word, other=0.0)
        out += tl.dot(x, w, input_precision="ieee")
    out += tl.load(b_ptr + word, mask=word < words, other=0.0)[None, :]
    active = (out > 0) & (row[:, None] < rows) & (word[None, :] < words)
    tl.atomic_add(out_ptr, tl.sum(tl.sum(active.to(tl.int32), 1), 0).to(tl.int64))


class ModelNew(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.fc = nn.Linear(n, m)

    def forward(self, x):
        x, weight = x.contiguous(), self.fc.weight.contiguous()
        (rows, features), words = x.shape, weight.shape[0]
        out = torch.zeros((), dtype=torch.int64, device=x.device)
        grid = triton.cdiv(rows, 64), triton.cdiv(words, 64)
        _count[grid](x, weight, self.fc.bias, out, rows, words, features, M=64, N=64, K=32)
        return out
