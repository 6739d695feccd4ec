"""as the reference: a mean of the first frames as a product with their mask."""

import torch
import torch.nn as nn

TASK = "means_of_frames"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x, shown):
        there = (torch.arange(x.shape[1], device=x.device) < shown[:, None]).to(x.dtype)
        return (there[:, None] @ x).squeeze(1) / shown[:, None]
