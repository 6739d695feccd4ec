"""algebra: what a trend takes of a power, by products with one and with time"""

import torch
import torch.nn as nn

TASK = "detrended"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x):
        count = x.shape[-1]
        time = torch.linspace(-1, 1, count, device=x.device)
        basis = torch.stack([torch.full_like(time, count**-0.5), time / time.norm()], 1)
        return (torch.linalg.vector_norm(x, dim=-1).square() - (x @ basis).square().sum(-1)) / count
