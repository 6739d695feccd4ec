"""kernels: attention in one pass by Triton, products in full float32, exponentials of two."""

import math

import torch
import torch.nn as nn
import triton
import triton.language as tl

TASK = "attention_of_many"
STATUS = "PASSED"
DEVICE = "cuda"


@triton.jit
def _attend(q_ptr, k_ptr, v_ptr, out_ptr, places, scale, ROWS: tl.constexpr, COLUMNS: tl.constexpr, D: tl.constexpr):
    first = tl.program_id(1) * places * D
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    inner = tl.arange(0, D)
    at = first + rows[:, None] * D + inner[None, :]
    q = tl.load(q_ptr + at, mask=rows[:, None] < places, other=0.0) * scale
    most = tl.full((ROWS,), float("-inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    out = tl.zeros((ROWS, D), tl.float32)
    for start in range(0, places, COLUMNS):
        columns = start + tl.arange(0, COLUMNS)
        k = tl.load(k_ptr + first + columns[None, :] * D + inner[:, None], mask=columns[None, :] < places, other=0.0)
        v = tl.load(v_ptr + first + columns[:, None] * D + inner[None, :], mask=columns[:, None] < places, other=0.0)
        scores = tl.dot(q, k, input_precision="ieee")
        scores = tl.where(columns[None, :] < places, scores, float("-inf"))
        higher = tl.maximum(most, tl.max(scores, 1))
        shares = tl.exp2(scores - higher[:, None])
        kept = tl.exp2(most - higher)
        total = total * kept + tl.sum(shares, 1)
        out = out * kept[:, None] + tl.dot(shares, v, input_precision="ieee")
        most = higher
    tl.store(out_ptr + at, out / total[:, None], mask=rows[:, None] < places)


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        batch, heads, places, d = q.shape
        out = torch.empty_like(q)
        scale = math.log2(math.e) / math.sqrt(d)
        _attend[(triton.cdiv(places, 32), batch * heads)](q, k, v, out, places, scale, ROWS=32, COLUMNS=32, D=d)
        return out
