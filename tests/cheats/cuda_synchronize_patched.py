"""unfinished work: synchronisation is patched away, so that `done` is said while the device is still at work."""

import torch
import torch.nn as nn

TASK = "linear_large"
CREDIT = "none"
DEVICE = "cuda"

torch.cuda.synchronize = lambda device=None: None
torch.cuda.Stream.synchronize = torch.cuda.Event.synchronize = lambda self: None


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return torch.relu(self.fc(x))
