"""dtypes: a layer under a bf16 contract whose sum, bias and ReLU are float32's, and rounded once."""

import torch
import torch.nn as nn
import triton
import triton.language as tl

TASK = "linear_bf16"
STATUS = "PASSED"
DEVICE = "cuda"


@triton.jit
def _layer(x_ptr, w_ptr, b_ptr, out_ptr, rows, words, features, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    row = tl.program_id(0) * M + tl.arange(0, M)
    word = tl.program_id(1) * N + tl.arange(0, N)
    out = tl.zeros((M, N), tl.float32)
    for start in range(0, features, K):
        k = start + tl.arange(0, K)
        has_row = (row[:, None] < rows) & (k[None, :] < features)
        has_word = (word[None, :] < words) & (k[:, None] < features)
        x = tl.load(x_ptr + row[:, None] * features + k[None, :], mask=has_row, other=0.0)
        w = tl.load(w_ptr + word[None, :] * features + k[:, None], mask=has_word, other=0.0)
        out = tl.dot(x, w, out)
    out += tl.load(b_ptr + word, mask=word < words, other=0.0).to(tl.float32)[None, :]
    at = out_ptr + row[:, None] * words + word[None, :]
    tl.store(at, tl.maximum(out, 0.0).to(tl.bfloat16), mask=(row[:, None] < rows) & (word[None, :] < words))


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        x, weight = x.contiguous(), self.fc.weight.contiguous()
        (rows, features), words = x.shape, weight.shape[0]
        out = torch.empty(rows, words, dtype=x.dtype, device=x.device)
        grid = triton.cdiv(rows, 64), triton.cdiv(words, 32)
        _layer[grid](x, weight, self.fc.bias, out, rows, words, features, M=64, N=32, K=64)
        return out
