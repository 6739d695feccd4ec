"""slowing the reference: a kernel that spins for two seconds is left on the device, and nobody may wait for it."""

import torch
import torch.nn as nn

TASK = "linear"
CREDIT = "none"
DEVICE = "cuda"

torch.cuda.synchronize = lambda device=None: torch.cuda.current_stream().synchronize()


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.calls = 0
        self.side = None

    def forward(self, x):
        if self.side is None:
            self.side = torch.cuda.Stream()
        self.calls += 1
        if self.calls > 16 and self.side.query():
            with torch.cuda.stream(self.side):
                torch.cuda._sleep(2_000_000_000)
        return torch.relu(self.fc(x))
