"""kernels: a layer and its GELU by Triton, in the shape of tiles that is fastest of five at the first call."""

import torch
import torch.nn as nn
import triton
import triton.language as tl

TASK = "linear_gelu"
STATUS = "PASSED"
DEVICE = "cuda"


def _tiles(m, n, k, warps, stages):
    return triton.Config({"M": m, "N": n, "K": k}, num_warps=warps, num_stages=stages)


@triton.autotune(
    configs=[
        _tiles(32, 32, 32, 4, 2),
        _tiles(64, 32, 32, 4, 3),
        _tiles(64, 64, 16, 4, 3),
        _tiles(64, 64, 32, 8, 2),
        _tiles(128, 64, 16, 8, 3),
    ],
    key=["rows", "words", "features"],
)
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
        out += tl.dot(x, w, input_precision="ieee")
    out += tl.load(b_ptr + word, mask=word < words, other=0.0)[None, :]
    out = 0.5 * out * (1.0 + tl.erf(out * 0.7071067811865476))
    at = out_ptr + row[:, None] * words + word[None, :]
    tl.store(at, out, mask=(row[:, None] < rows) & (word[None, :] < words))


class ModelNew(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.fc = nn.Linear(n, m)

    def forward(self, x):
        x, weight = x.contiguous(), self.fc.weight.contiguous()
        (rows, features), words = x.shape, weight.shape[0]
        out = torch.empty(rows, words, device=x.device)

        def grid(tiles):
            return triton.cdiv(rows, tiles["M"]), triton.cdiv(words, tiles["N"])

        _layer[grid](x, weight, self.fc.bias, out, rows, words, features)
        return out
