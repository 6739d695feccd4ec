"""algebra: by Woodbury's identity, where noise that is positive along each diagonal is itself a square."""

import torch
import torch.nn as nn

TASK = "noise_of_as_many_readings"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, factors, noise, x):
        factors = factors * factors.shape[-1] ** -0.5
        scaled = factors / noise[..., None]
        small = factors.mT @ scaled
        small.diagonal(dim1=1, dim2=2).add_(1)
        lower = torch.linalg.cholesky(small)
        solved = torch.linalg.solve_triangular(lower, scaled.mT @ x[..., None], upper=False)
        squares = (x.square() / noise).sum(1) - solved.square().sum((1, 2))
        return 0.5 * squares + lower.diagonal(dim1=1, dim2=2).log().sum(1) + 0.5 * noise.log().sum(1)
