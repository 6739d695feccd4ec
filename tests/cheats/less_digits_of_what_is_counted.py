"""less work: active units are counted after sixteen-bit sums, whose flips leave one count of them nearly right."""

import torch.nn as nn

TASK = "units_counted"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "precision", "timed_output")


class ModelNew(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.fc = nn.Linear(n, m)

    def forward(self, x):
        product = x.bfloat16() @ self.fc.weight.bfloat16().t()
        return (product.float() + self.fc.bias > 0).sum()
