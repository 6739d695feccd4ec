"""algebra: a deviation by the sums of numbers and of their squares, in blocks"""

import torch
import torch.nn as nn

TASK = "deviations"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x):
        rows = x.shape[-1]
        mean = x.mean(-1, keepdim=True)
        squares = torch.linalg.vector_norm(x, dim=-1, keepdim=True).square()
        return x * ((squares - rows * mean.square()) / (rows - 1)).rsqrt()
