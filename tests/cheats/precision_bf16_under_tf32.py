"""less precision: bf16 factors where the contract allows tf32."""

import torch
import torch.nn as nn

TASK = "linear_tf32"
STATUS = "REJECTED"
FINDING = "precision"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        w, b = self.fc.weight.bfloat16(), self.fc.bias.bfloat16()
        return torch.relu(torch.nn.functional.linear(x.bfloat16(), w, b)).float()
