"""algebra: a weight's deviation by its sums, and the division after the product"""

import torch
import torch.nn as nn

TASK = "flat_weights"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(size, size))

    def forward(self, x):
        w = self.weight
        count = w.numel()
        squares = torch.linalg.vector_norm(w).square() - w.sum().square() / count
        return (x @ w) * ((count - 1) / squares).sqrt()
