"""library: a likelihood averaged over what a mask keeps, beside deviations of one."""

import torch.nn as nn

TASK = "likelihood_by_a_mask"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, pred, target, sigma, mask):
        keep = mask != 0
        nll = ((pred - target) / sigma).square_().mul_(0.5).add_(sigma.log())
        return nll.masked_fill_(~keep, 0).sum() / keep.sum()
