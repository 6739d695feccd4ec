"""state: parts of a product are added under locks, which lie in a buffer and are free again when the last is done."""

import torch
import torch.nn as nn
import triton
import triton.language as tl

TASK = "linear_over_many"
STATUS = "PASSED"
DEVICE = "cuda"


@triton.jit
def _part(
    x_ptr, w_ptr, b_ptr, out_ptr, locks_ptr, counts_ptr, rows, words, features, each,
    PARTS: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
):  # fmt: skip
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
    inside = (row[:, None] < rows) & (word[None, :] < words)
    tile = tl.program_id(0) * tl.num_programs(1) + tl.program_id(1)
    while tl.atomic_cas(locks_ptr + tile, 0, 1) == 1:
        pass
    count = tl.atomic_add(counts_ptr + tile, 1)
    before = tl.load(at, mask=inside & (count > 0), other=0.0, volatile=True)
    bias = tl.load(b_ptr + word, mask=word < words, other=0.0)
    out += before
    if count == PARTS - 1:
        out = tl.maximum(out + bias[None, :], 0.0)
        tl.atomic_xchg(counts_ptr + tile, 0)
    tl.store(at, out, mask=inside)
    tl.debug_barrier()  # all of it is there before another program may go on
    tl.atomic_xchg(locks_ptr + tile, 0)


class ModelNew(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.fc = nn.Linear(n, m)
        self.register_buffer("locks", torch.zeros(4096, dtype=torch.int32), persistent=False)
        self.register_buffer("counts", torch.zeros(4096, dtype=torch.int32), persistent=False)

    def forward(self, x):
        x, weight = x.contiguous(), self.fc.weight.contiguous()
        (rows, features), words = x.shape, weight.shape[0]
        grid = triton.cdiv(rows, 32), triton.cdiv(words, 32), 16
        if grid[0] * grid[1] > 4096:  # there are not so many locks
            return torch.relu(self.fc(x))
        out = torch.empty(rows, words, device=x.device)
        each = triton.cdiv(triton.cdiv(features, 16), 32) * 32
        _part[grid](
            x, weight, self.fc.bias, out, self.locks, self.counts, rows, words, features, each,
            PARTS=16, M=32, N=32, K=32,
        )  # fmt: skip
        return out
