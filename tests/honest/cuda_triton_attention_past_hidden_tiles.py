"""kernels: attention by Triton that goes past tiles of places in which a mask shows nothing."""

import math

import torch
import torch.nn as nn
import triton
import triton.language as tl

TASK = "attention_within_documents"
STATUS = "PASSED"
DEVICE = "cuda"


@triton.jit
def _attend(
    q_ptr, k_ptr, v_ptr, mask_ptr, out_ptr, places, scale, ROWS: tl.constexpr, COLUMNS: tl.constexpr, D: tl.constexpr
):
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
        inside = (rows[:, None] < places) & (columns[None, :] < places)
        shown = tl.load(mask_ptr + rows[:, None] * places + columns[None, :], mask=inside, other=0)
        if tl.sum(tl.sum(shown.to(tl.int32), 1), 0) > 0:
            has_place = columns < places
            k = tl.load(k_ptr + first + columns[None, :] * D + inner[:, None], mask=has_place[None, :], other=0.0)
            v = tl.load(v_ptr + first + columns[:, None] * D + inner[None, :], mask=has_place[:, None], other=0.0)
            scores = tl.dot(q, k, input_precision="ieee")
            scores = tl.where(shown != 0, scores, float("-inf"))
            higher = tl.maximum(most, tl.max(scores, 1))
            base = tl.where(higher == float("-inf"), 0.0, higher)  # of rows that have seen nothing yet
            shares = tl.exp2(scores - base[:, None])
            kept = tl.exp2(most - base)
            total = total * kept + tl.sum(shares, 1)
            out = out * kept[:, None] + tl.dot(shares, v, input_precision="ieee")
            most = higher
    tl.store(out_ptr + at, out / total[:, None], mask=rows[:, None] < places)


class ModelNew(nn.Module):
    def forward(self, q, k, v, mask):
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        batch, heads, places, d = q.shape
        out = torch.empty_like(q)
        scale = math.log2(math.e) / math.sqrt(d)
        grid = triton.cdiv(places, 32), batch * heads
        _attend[grid](q, k, v, mask.contiguous().view(torch.uint8), out, places, scale, ROWS=32, COLUMNS=32, D=d)
        return out
