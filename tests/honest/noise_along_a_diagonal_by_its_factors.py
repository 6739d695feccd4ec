"""algebra: by Woodbury's identity, whose small matrix is positive definite, as the noise on a diagonal is positive."""

import torch
import torch.nn as nn

TASK = "noise_along_a_diagonal"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x, factors, noise):
        scaled = factors / noise[:, None]
        small = factors.t() @ scaled
        small.diagonal().add_(1)
        lower = torch.linalg.cholesky(small)
        whitened = (x / noise).t()
        solved = whitened - scaled @ torch.cholesky_solve(factors.t() @ whitened, lower)
        return solved, noise.log().sum() + 2 * lower.diagonal().log().sum()
