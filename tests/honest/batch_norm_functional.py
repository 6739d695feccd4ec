"""state: batch norm in train mode by the function, with the module's own running statistics, and a ReLU in place."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "batch_norm_training"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.bn = nn.BatchNorm1d(n)

    def forward(self, x):
        bn = self.bn
        bn.num_batches_tracked.add_(1)
        statistics = (bn.running_mean, bn.running_var)
        return torch.relu_(F.batch_norm(x, *statistics, bn.weight, bn.bias, True, bn.momentum, bn.eps))
