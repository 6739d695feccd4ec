"""state: what is made without a device is made on the GPU, as the module says once for all of its code."""

import torch
import torch.nn as nn

TASK = "linear_large"
STATUS = "PASSED"
DEVICE = "cuda"

torch.set_default_device("cuda")


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    @torch.no_grad()
    def forward(self, x):
        y = torch.empty(x.shape[0], self.fc.out_features)
        torch.addmm(self.fc.bias, x, self.fc.weight.t(), out=y)
        return y.relu_()
