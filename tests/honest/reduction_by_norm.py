"""algebra: the root of a mean square is a norm over the root of the count."""

import torch
import torch.nn as nn

TASK = "reduction"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.linalg.vector_norm(x, dim=1) * x.shape[1] ** -0.5
