"""algebra: a solution by the inverse of a kernel matrix"""

import torch
import torch.nn as nn

TASK = "kernel_solve"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, kernel, y):
        return torch.cholesky_inverse(torch.linalg.cholesky(kernel)) @ y
