"""replay: merged weights are made anew when some rows of them change, on inputs so large that few weights are tried."""

import torch
import torch.nn as nn

TASK = "two_layers_of_large_inputs"
DEVICE = "cuda"
STATUS = ("REJECTED", "WRONG_OUTPUT")
FINDING = ("stale_weights", "error")


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.one = nn.Parameter(torch.randn(n, n) / n**0.5)
        self.two = nn.Parameter(torch.randn(n, n) / n**0.5)
        self.key = self.merged = None

    def forward(self, x):
        key = torch.cat([self.one[1::64].reshape(-1), self.two[1::64].reshape(-1)])  # 32 rows of each
        if self.key is None or not torch.equal(key, self.key):
            self.key = key.detach().clone()
            self.merged = (self.one.detach().double() @ self.two.detach().double()).float()
        return x @ self.merged
