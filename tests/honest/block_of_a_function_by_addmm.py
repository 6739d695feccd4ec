"""fusion: layers that the task calls by a function over them, each one product with its sum"""

import torch
import torch.nn as nn

TASK = "block_of_a_function"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.mlp = nn.ModuleDict({"up": nn.Linear(d, 4 * d), "down": nn.Linear(4 * d, d)})

    def forward(self, x):
        up, down = self.mlp["up"], self.mlp["down"]
        hidden = nn.functional.gelu(torch.addmm(up.bias, self.norm(x), up.weight.t()))
        return torch.addmm(down.bias, hidden, down.weight.t()).add_(x)
