"""nondeterminism: partial sums are added in another order at every call, as atomics do."""

import torch
import torch.nn as nn

TASK = "reduction"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x):
        parts = (x * x).unflatten(1, (64, -1)).sum(dim=2)
        order = torch.randperm(parts.shape[1], device=x.device)
        total = torch.zeros(x.shape[0], dtype=x.dtype, device=x.device)
        for index in order[:8].tolist():
            total += parts[:, index]
        return torch.sqrt((total + parts[:, order[8:]].sum(dim=1)) / x.shape[1])
