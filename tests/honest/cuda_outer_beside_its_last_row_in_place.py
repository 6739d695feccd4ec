"""buffers: operations in place on an outer product that is given out with its last row, as the reference's is."""

import torch
import torch.nn as nn

TASK = "outer_beside_its_last_row"
STATUS = "PASSED"
DEVICE = "cuda"


class ModelNew(nn.Module):
    def forward(self, x, y):
        z = torch.outer(x, y).tanh_().mul_(1.3).add_(0.1).tanh_()
        z = torch.sigmoid(z * 1.5).add_(z, alpha=0.25)
        return z, z[-1]
