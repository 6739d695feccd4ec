"""less precision: one of two layers in TF32, in a task that calls its layers by a function that is over them."""

import torch
import torch.nn as nn

TASK = "block_of_a_function"
STATUS = "REJECTED"
FINDING = "precision"


def shortened(x):
    return ((x.contiguous().view(torch.int32) + 4096) >> 13 << 13).view(torch.float32)


class ModelNew(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.mlp = nn.ModuleDict({"up": nn.Linear(d, 4 * d), "down": nn.Linear(4 * d, d)})

    def forward(self, x):
        up, down = self.mlp["up"], self.mlp["down"]
        hidden = nn.functional.gelu(up(self.norm(x)))
        return x + nn.functional.linear(shortened(hidden), shortened(down.weight), down.bias)
