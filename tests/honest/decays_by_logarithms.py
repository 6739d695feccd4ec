"""algebra: powers of frozen decays by their logarithms"""

import torch
import torch.nn as nn

TASK = "retention"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        decay = 1 - 2.0 ** (-5 - torch.arange(8).float())
        self.register_buffer("decay", decay)

    def forward(self, q, k, v):
        i = torch.arange(q.shape[2], device=q.device)
        d = (i[:, None] - i).clamp(min=0)
        w = torch.exp(self.decay.log()[:, None, None] * d).tril()
        return (q @ k.mT * w) @ v
