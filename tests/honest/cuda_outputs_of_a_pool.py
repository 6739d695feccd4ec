"""memory: outputs come from a pool of the module's own, so that what others allocate does not lie between them."""

import torch
import torch.nn as nn

TASK = "linear_large"
STATUS = "PASSED"
DEVICE = "cuda"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.pool = None

    @torch.no_grad()
    def forward(self, x):
        if self.pool is None:
            self.pool = torch.cuda.MemPool()
        with torch.cuda.use_mem_pool(self.pool):
            y = torch.empty(x.shape[0], self.fc.out_features, device=x.device)
        torch.addmm(self.fc.bias, x, self.fc.weight.t(), out=y)
        return y.relu_()
