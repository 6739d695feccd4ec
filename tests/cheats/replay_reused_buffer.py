"""replay: the answer lies in a buffer that the next call overwrites."""

import torch
import torch.nn as nn

TASK = "matmul"
STATUS = "REJECTED"
FINDING = "output_overwritten"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = None

    def forward(self, a, b):
        if self.out is None:
            self.out = torch.empty_like(a)
        return torch.mm(a, b, out=self.out)
