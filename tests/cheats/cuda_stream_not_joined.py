"""unfinished work: the product runs on a side stream that nobody waits for (CUDA-L1 v1, 82 of 250)."""

import torch
import torch.nn as nn

TASK = "linear_large"
# wrong where a result is read before the side stream has it; where the wait for the device comes first, only slow
CREDIT = "none"
DEVICE = "cuda"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.side = None

    def forward(self, x):
        if self.side is None:
            self.side = torch.cuda.Stream()
        with torch.cuda.stream(self.side):
            return torch.relu(self.fc(x))
