"""precision: each factor as two of bf16, whose three larger products have sixteen bits, and a logsumexp behind them."""

import torch
import torch.nn as nn
import triton
import triton.language as tl

TASK = "log_normaliser"
STATUS = "PASSED"
DEVICE = "cuda"


@triton.jit
def _product(x_ptr, w_ptr, b_ptr, out_ptr, rows, words, features, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    row = tl.program_id(0) * M + tl.arange(0, M)
    word = tl.program_id(1) * N + tl.arange(0, N)
    inner = tl.arange(0, K)
    out = tl.zeros((M, N), tl.float32)
    for start in range(0, features, K):
        k = start + inner
        has_row = (row[:, None] < rows) & (k[None, :] < features)
        has_word = (word[None, :] < words) & (k[:, None] < features)
        x = tl.load(x_ptr + row[:, None] * features + k[None, :], mask=has_row, other=0.0)
        w = tl.load(w_ptr + word[None, :] * features + k[:, None], mask=has_word, other=0.0)
        x_high, w_high = x.to(tl.bfloat16), w.to(tl.bfloat16)
        x_low, w_low = (x - x_high.to(tl.float32)).to(tl.bfloat16), (w - w_high.to(tl.float32)).to(tl.bfloat16)
        out += tl.dot(x_low, w_high) + tl.dot(x_high, w_low)
        out += tl.dot(x_high, w_high)
    out += tl.load(b_ptr + word, mask=word < words, other=0.0)[None, :]
    at = out_ptr + row[:, None] * words + word[None, :]
    tl.store(at, out, mask=(row[:, None] < rows) & (word[None, :] < words))


class ModelNew(nn.Module):
    def __init__(self, features, words):
        super().__init__()
        self.head = nn.Linear(features, words)

    def forward(self, x):
        x, weight = x.contiguous(), self.head.weight.contiguous()
        (rows, features), words = x.shape, weight.shape[0]
        scores = torch.empty(rows, words, device=x.device)
        grid = triton.cdiv(rows, 64), triton.cdiv(words, 64)
        _product[grid](x, weight, self.head.bias, scores, rows, words, features, M=64, N=64, K=32)
        return torch.logsumexp(scores, dim=-1)
