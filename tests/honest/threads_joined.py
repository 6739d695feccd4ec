"""threads: two threads share the work of a call and are joined before it returns."""

from concurrent.futures import ThreadPoolExecutor

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.pool = None

    @torch.no_grad()
    def part(self, x):
        return torch.relu(self.fc(x))

    def forward(self, x):
        if self.pool is None:
            self.pool = ThreadPoolExecutor(2)
        return torch.cat(list(self.pool.map(self.part, x.chunk(2))))
