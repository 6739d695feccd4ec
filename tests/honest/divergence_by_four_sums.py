"""algebra: a divergence by sums of squares, logarithms and ones, which are large beside what is left of them"""

import torch
import torch.nn as nn

TASK = "divergence_of_codes"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.mean, self.log_var = nn.Linear(n, n), nn.Linear(n, n)

    def forward(self, x, noise):
        weight = torch.cat([self.mean.weight, self.log_var.weight])
        mean, log_var = torch.addmm(torch.cat([self.mean.bias, self.log_var.bias]), x, weight.t()).chunk(2, 1)
        scale = torch.exp(0.5 * log_var)
        sums = mean.square().sum() + scale.square().sum() - log_var.sum() - log_var.numel()
        return torch.addcmul(mean, noise, scale), sums * (0.5 / x.shape[0])
