"""precision: eight bits of floating point by a product with the scale's reciprocal, and the scale behind the layer."""

import torch
import torch.nn as nn

TASK = "tokens_in_float8"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(128, 128, bias=False)

    def forward(self, x):
        most = x.abs().amax(dim=-1, keepdim=True).clamp_(min=1e-6)
        q = (x * (448.0 / most)).to(torch.float8_e4m3fn)
        return self.proj(q.float()).mul_(most / 448.0)
