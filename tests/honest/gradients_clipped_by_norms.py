"""library: gradients are clipped by the library's norms."""

import torch
import torch.nn as nn

TASK = "gradients_clipped"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, max_norm):
        super().__init__()
        self.max_norm = max_norm

    def forward(self, g1, g2):
        norm = torch.sqrt(g1.norm().square() + g2.norm().square())
        coef = torch.clamp(self.max_norm / (norm + 1e-6), max=1.0)
        return g1 * coef, g2 * coef
