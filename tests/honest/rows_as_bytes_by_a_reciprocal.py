"""formula: rows as bytes by a reciprocal."""

import torch
import torch.nn as nn

TASK = "rows_as_bytes"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x):
        scale = 127.0 / x.abs().amax(-1, keepdim=True).clamp_(min=1e-5)
        return (torch.round(x * scale) + 128).to(torch.uint8)
