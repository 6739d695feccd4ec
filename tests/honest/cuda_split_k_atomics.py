"""nondeterminism: a product in 32 parts along what it sums over, which are added as they come."""

import torch
import torch.nn as nn
import triton
import triton.language as tl

TASK = "linear_over_many"
STATUS = "PASSED"
DEVICE = "cuda"


@triton.jit
def _part(x_ptr, w_ptr, out_ptr, rows, words, features, each, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    row = tl.program_id(0) * M + tl.arange(0, M)
    word = tl.program_id(1) * N + tl.arange(0, N)
    first = tl.program_id(2) * each
    out = tl.zeros((M, N), tl.float32)
    for start in range(0, each, K):
        k = first + start + tl.arange(0, K)
        has_row = (row[:, None] < rows) & (k[None, :] < features)
        has_word = (word[None, :] < words) & (k[:, None] < features)
        x = tl.load(x_ptr + row[:, None] * features + k[None, :], mask=has_row, other=0.0)
        w = tl.load(w_ptr + word[None, :] * features + k[:, None], mask=has_word, other=0.0)
        out += tl.dot(x, w, input_precision="ieee")
    at = out_ptr + row[:, None] * words + word[None, :]
    tl.atomic_add(at, out, mask=(row[:, None] < rows) & (word[None, :] < words))


class ModelNew(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.fc = nn.Linear(n, m)

    def forward(self, x):
        x, weight = x.contiguous(), self.fc.weight.contiguous()
        (rows, features), words = x.shape, weight.shape[0]
        out = torch.zeros(rows, words, device=x.device)
        each = triton.cdiv(triton.cdiv(features, 32), 32) * 32
        grid = triton.cdiv(rows, 32), triton.cdiv(words, 32), triton.cdiv(features, each)
        _part[grid](x, weight, out, rows, words, features, each, M=32, N=32, K=32)
        return torch.relu_(out.add_(self.fc.bias))
