"""less precision: fp8 factors where the contract is bf16."""

import torch
import torch.nn as nn

TASK = "linear_bf16"
STATUS = ("REJECTED", "WRONG_OUTPUT")
FINDING = ("precision", "error")


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        w = self.fc.weight.to(torch.float8_e4m3fn).to(x.dtype)
        return torch.relu(torch.nn.functional.linear(x.to(torch.float8_e4m3fn).to(x.dtype), w, self.fc.bias))
