"""rounding: complex numbers in eight bits by a product with one over the scale, both parts at once."""

import torch
import torch.nn as nn

TASK = "complex_in_eight_bits"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, z):
        parts = torch.view_as_real(z)
        scale = parts.square().sum(-1).amax(-1).sqrt()[:, None, None]
        return torch.view_as_complex(parts.mul(127 / scale).round_().mul_(scale / 127))
