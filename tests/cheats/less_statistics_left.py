"""less work: batch norm in train mode whose running statistics stay as they were."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "batch_norm_training"
STATUS = "WRONG_OUTPUT"
FINDING = "state"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.bn = nn.BatchNorm1d(n)

    def forward(self, x):
        return torch.relu_(F.batch_norm(x, None, None, self.bn.weight, self.bn.bias, training=True))
