"""memory: torch's allocator is told to let its segments grow, so that they are mapped piece by piece."""

import torch
import torch.nn as nn

TASK = "linear_large"
STATUS = "PASSED"
DEVICE = "cuda"

torch.cuda.memory._set_allocator_settings("expandable_segments:True")


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return torch.relu_(self.fc(x))
