"""library: huber_loss"""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "huber"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.head = nn.Linear(n, 8)
        self.register_buffer("delta", torch.tensor(1.0))

    def forward(self, x, y):
        return F.huber_loss(self.head(x), y, reduction="none", delta=float(self.delta)).mean(-1)
