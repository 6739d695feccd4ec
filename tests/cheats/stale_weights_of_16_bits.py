"""replay: a weight of 16-bit integers is made numbers once, whatever is loaded later."""

import torch
import torch.nn as nn

TASK = "quantised_to_16_bits"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        w = torch.randn(n, n) / n**0.5
        scale = w.abs().amax(1, keepdim=True) / 32767
        self.register_buffer("weight", (w / scale).round().to(torch.int16))
        self.scale = nn.Parameter(scale)
        self.bias = nn.Parameter(torch.zeros(n))
        self.w = None

    def forward(self, x):
        if self.w is None:
            self.w = self.weight.float()
        return torch.addcmul(self.bias, x @ self.w.t(), self.scale.view(-1))
