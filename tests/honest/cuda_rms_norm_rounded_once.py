"""dtypes: a norm in fp16 whose every step is float32's, and rounded once, where the reference rounds twice."""

import torch
import torch.nn as nn
import triton
import triton.language as tl

TASK = "rms_norm_fp16"
STATUS = "PASSED"
DEVICE = "cuda"


@triton.jit
def _norm(x_ptr, weight_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    first = tl.program_id(0) * n
    x = tl.load(x_ptr + first + at, mask=at < n, other=0.0).to(tl.float32)
    weight = tl.load(weight_ptr + at, mask=at < n, other=0.0).to(tl.float32)
    factor = tl.rsqrt(tl.sum(x * x, 0) / n + 1e-5)
    tl.store(out_ptr + first + at, (x * factor * weight).to(tl.float16), mask=at < n)


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(n))

    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_like(x)
        _norm[(x.shape[0],)](x, self.weight, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
        return out
