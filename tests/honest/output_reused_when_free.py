"""memory: the last output's memory is used again, once its storage says that nobody else holds it."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "PASSED"


def _holders(tensor):
    return torch._C._storage_Use_Count(tensor.untyped_storage()._cdata)


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.kept = None
        self.alone = _holders(torch.empty(1))

    @torch.no_grad()
    def forward(self, x):
        shape, kept = (x.shape[0], self.fc.out_features), self.kept
        if kept is None or kept.shape != shape or kept.device != x.device or _holders(kept) > self.alone:
            self.kept = kept = torch.empty(shape, device=x.device)
        torch.addmm(self.fc.bias, x, self.fc.weight.t(), out=kept)
        return kept.relu_().view(shape)
