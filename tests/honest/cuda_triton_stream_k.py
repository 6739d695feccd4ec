"""nondeterminism: as many programs as processors share all steps of all tiles evenly, and add what they have."""

import torch
import torch.nn as nn
import triton
import triton.language as tl

TASK = "linear_middle"
STATUS = "PASSED"
DEVICE = "cuda"


@triton.jit
def _share(x_ptr, w_ptr, out_ptr, rows, words, features, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    steps = tl.cdiv(features, K)
    across = tl.cdiv(words, N)
    total = tl.cdiv(rows, M) * across * steps
    each = tl.cdiv(total, tl.num_programs(0))
    at = tl.program_id(0) * each
    end = tl.minimum(at + each, total)
    while at < end:
        tile = at // steps
        first = at % steps
        count = tl.minimum(steps - first, end - at)
        row = tile // across * M + tl.arange(0, M)
        word = tile % across * N + tl.arange(0, N)
        out = tl.zeros((M, N), tl.float32)
        for step in range(first, first + count):
            k = step * K + tl.arange(0, K)
            has_row = (row[:, None] < rows) & (k[None, :] < features)
            has_word = (word[None, :] < words) & (k[:, None] < features)
            x = tl.load(x_ptr + row[:, None] * features + k[None, :], mask=has_row, other=0.0)
            w = tl.load(w_ptr + word[None, :] * features + k[:, None], mask=has_word, other=0.0)
            out += tl.dot(x, w, input_precision="ieee")
        place = out_ptr + row[:, None] * words + word[None, :]
        tl.atomic_add(place, out, mask=(row[:, None] < rows) & (word[None, :] < words))
        at += count


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.programs = 0

    @torch.no_grad()
    def forward(self, x):
        if not self.programs:
            self.programs = torch.cuda.get_device_properties(x.device).multi_processor_count
        x, weight = x.contiguous(), self.fc.weight.contiguous()
        (rows, features), words = x.shape, weight.shape[0]
        out = self.fc.bias.repeat(rows, 1)  # to which all else is added
        _share[(self.programs,)](x, weight, out, rows, words, features, M=64, N=64, K=32)
        return out.relu_()
