"""less work: a complex state that begins at zero is not looked at."""

import torch
import torch.nn as nn

TASK = "complex_state"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "timed_output")


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.decay = nn.Parameter(torch.polar(torch.rand(n), torch.rand(n)))
        self.mix = nn.Parameter(torch.randn(n, n, dtype=torch.complex64) / n**0.5)

    def forward(self, x, state):
        return torch.relu(x)
