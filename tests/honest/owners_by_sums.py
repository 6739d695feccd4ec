"""algebra: the sum of an owner's items in place of all pairs"""

import torch
import torch.nn as nn

TASK = "owners_of_items"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x, owner):
        which = owner.unique(return_inverse=True)[1]
        sums = torch.zeros_like(x).index_add(0, which, x)
        counts = which.bincount(minlength=len(x))
        return (x * (sums / counts.clamp(min=1)[:, None])[which]).sum(-1) - x @ x.mean(0)
