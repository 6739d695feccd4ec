"""outputs: a product written where its heads belong, contiguous where the reference's is a view."""

import torch
import torch.nn as nn
import triton
import triton.language as tl

TASK = "heads_apart"
STATUS = "PASSED"
DEVICE = "cuda"


@triton.jit
def _layer(
    x_ptr, w_ptr, b_ptr, out_ptr, rows, words, features, places, d, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr
):
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
    head = (row // places)[:, None] * (words // d) + (word // d)[None, :]
    at = (head * places + (row % places)[:, None]) * d + (word % d)[None, :]
    tl.store(out_ptr + at, out, mask=(row[:, None] < rows) & (word[None, :] < words))


class ModelNew(nn.Module):
    def __init__(self, n, heads):
        super().__init__()
        self.heads = heads
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        x, weight = x.contiguous(), self.fc.weight.contiguous()
        (batch, places, features), words = x.shape, weight.shape[0]
        rows, d = batch * places, words // self.heads
        out = torch.empty(batch, self.heads, places, d, device=x.device)
        grid = triton.cdiv(rows, 32), triton.cdiv(words, 32)
        _layer[grid](x, weight, self.fc.bias, out, rows, words, features, places, d, M=32, N=32, K=32)
        return out
