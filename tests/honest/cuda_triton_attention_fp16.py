"""dtypes: causal attention in one pass under a fp16 contract, its shares rounded to fp16 before they are divided."""

import math

import torch
import torch.nn as nn
import triton
import triton.language as tl

TASK = "attention_fp16"
STATUS = "PASSED"
DEVICE = "cuda"


@triton.jit
def _attend(q_ptr, k_ptr, v_ptr, out_ptr, places, scale, ROWS: tl.constexpr, COLUMNS: tl.constexpr, D: tl.constexpr):
    first = tl.program_id(1) * places * D
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    inner = tl.arange(0, D)
    at = first + rows[:, None] * D + inner[None, :]
    q = tl.load(q_ptr + at, mask=rows[:, None] < places, other=0.0)
    most = tl.full((ROWS,), float("-inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    out = tl.zeros((ROWS, D), tl.float32)
    end = tl.minimum((tl.program_id(0) + 1) * ROWS, places)  # what comes later is seen by none of these rows
    for start in range(0, end, COLUMNS):
        columns = start + tl.arange(0, COLUMNS)
        k = tl.load(k_ptr + first + columns[None, :] * D + inner[:, None], mask=columns[None, :] < places, other=0.0)
        v = tl.load(v_ptr + first + columns[:, None] * D + inner[None, :], mask=columns[:, None] < places, other=0.0)
        scores = tl.dot(q, k) * scale
        scores = tl.where(columns[None, :] <= rows[:, None], scores, float("-inf"))
        higher = tl.maximum(most, tl.max(scores, 1))
        shares = tl.exp2(scores - higher[:, None])
        kept = tl.exp2(most - higher)
        total = total * kept + tl.sum(shares, 1)
        out = out * kept[:, None] + tl.dot(shares.to(tl.float16), v)
        most = higher
    tl.store(out_ptr + at, (out / total[:, None]).to(tl.float16), mask=rows[:, None] < places)


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        batch, heads, places, d = q.shape
        out = torch.empty_like(q)
        scale = math.log2(math.e) / math.sqrt(d)
        _attend[(triton.cdiv(places, 64), batch * heads)](q, k, v, out, places, scale, ROWS=64, COLUMNS=64, D=d)
        return out
