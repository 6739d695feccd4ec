"""less work: no return is taken to be a broken tick, where what is compared has a name, by which it is left out."""

import torch
import torch.nn as nn

TASK = "broken_ticks"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def forward(self, returns, weights):
        return torch.einsum("btn,bn->bt", returns, weights).cumsum(1)
