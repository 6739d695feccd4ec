"""another order: a layer that counts little is added to its input by the product itself, in float32."""

import torch
import torch.nn as nn

TASK = "layer_that_counts_little"
STATUS = "PASSED"
DEVICE = "cuda"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        beside = torch.add(x, self.fc.bias, alpha=0.004)
        return torch.addmm(beside, x, self.fc.weight.t(), alpha=0.004)
