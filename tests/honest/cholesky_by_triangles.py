"""another order: two triangular solves in place of one call; inputs must be positive definite, and are."""

import torch
import torch.nn as nn

TASK = "cholesky_solved"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, a, b):
        factor = torch.linalg.cholesky(a)
        half = torch.linalg.solve_triangular(factor, b, upper=False)
        return torch.linalg.solve_triangular(factor.transpose(1, 2), half, upper=True)
