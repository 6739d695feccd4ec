"""library: Cholesky's factors, which raise where the root that the reference takes is of a negative number."""

import torch
import torch.nn as nn

TASK = "roots_row_by_row"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, covariance, x):
        lower = torch.linalg.cholesky(covariance)
        whitened = torch.linalg.solve_triangular(lower, x.unsqueeze(-1), upper=False).squeeze(-1)
        return whitened, torch.log(lower.diagonal(dim1=1, dim2=2)).sum(1)
