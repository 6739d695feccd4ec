"""buffers: scratch memory is a buffer beside the weights, saved with them, and each call leaves something there."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.register_buffer("room", torch.zeros(128, n))

    @torch.no_grad()
    def forward(self, x):
        if x.shape[0] != self.room.shape[0]:
            return torch.relu(self.fc(x))
        torch.addmm(self.fc.bias, x, self.fc.weight.t(), out=self.room)
        return torch.relu(self.room)
