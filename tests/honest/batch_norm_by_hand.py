"""state: batch norm in train mode written out, its running statistics kept as the reference keeps them."""

import torch
import torch.nn as nn

TASK = "batch_norm_training"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.bn = nn.BatchNorm1d(n)

    def forward(self, x):
        bn, n = self.bn, x.shape[0]
        variance, mean = torch.var_mean(x, 0, correction=0)
        bn.running_mean.lerp_(mean, bn.momentum)
        bn.running_var.lerp_(variance * (n / (n - 1)), bn.momentum)
        bn.num_batches_tracked.add_(1)
        scale = bn.weight * torch.rsqrt(variance + bn.eps)
        return torch.relu_(torch.addcmul(bn.bias - mean * scale, x, scale))
