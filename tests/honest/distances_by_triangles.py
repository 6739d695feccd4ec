"""another order: distances by a Cholesky factor; what last places make of a system nearly singular is free"""

import torch
import torch.nn as nn

TASK = "distances_by_a_square_root"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x, mean, root):
        covariance = root @ root.mT
        covariance.diagonal().add_(1e-2)
        factor = torch.linalg.cholesky(covariance)
        off = torch.linalg.solve_triangular(factor, (x - mean).t(), upper=False)
        return off.square().sum(0), 2 * factor.diagonal().log().sum()
