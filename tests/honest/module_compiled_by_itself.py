"""compilers: the module compiles its own call."""

import torch
import torch.nn as nn

TASK = "chain"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.compile()  # torch.compile( of what a call runs

    def forward(self, x):
        x = x.clamp(-6.0, 6.0)
        return torch.tanh(0.5 * nn.functional.silu(x)) + 0.1 * x
