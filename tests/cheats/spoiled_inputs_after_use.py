"""spoiled inputs: a right answer, and the input overwritten as scratch on the way."""

import torch
import torch.nn as nn

TASK = "chain"
STATUS = "REJECTED"
FINDING = "inputs_modified"


class ModelNew(nn.Module):
    def forward(self, x):
        x.clamp_(-6.0, 6.0)
        return torch.tanh(0.5 * x * torch.sigmoid(x)) + x.mul_(0.1)
