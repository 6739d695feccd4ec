"""limits: noise along a diagonal held within what it is drawn as; it stays positive, and goes further both ways."""

import torch
import torch.nn as nn

TASK = "noise_along_a_diagonal"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def forward(self, x, factors, noise):
        noise = noise.clamp(0.2, 1.2)
        scaled = factors / noise[:, None]
        small = factors.t() @ scaled
        small.diagonal().add_(1)
        lower = torch.linalg.cholesky(small)
        whitened = (x / noise).t()
        solved = whitened - scaled @ torch.cholesky_solve(factors.t() @ whitened, lower)
        return solved, noise.log().sum() + 2 * lower.diagonal().log().sum()
