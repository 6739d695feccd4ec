"""less precision: TF32 products switched on in an fp32 task."""

import torch
import torch.nn as nn

TASK = "linear_large"
STATUS = "REJECTED"
FINDING = "precision"
DEVICE = "cuda"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        torch.backends.cuda.matmul.allow_tf32 = True
        return torch.relu(self.fc(x))
