"""algebra: softmax through log-sum-exp."""

import torch
import torch.nn as nn

TASK = "softmax"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.exp(x - torch.logsumexp(x, dim=1, keepdim=True))
