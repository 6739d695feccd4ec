"""buffers: scratch memory is kept between calls, the output is fresh."""

import torch
import torch.nn as nn

TASK = "chain"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.scratch = None

    def forward(self, x):
        if self.scratch is None or self.scratch[0].shape != x.shape:
            self.scratch = (x.new_empty(x.shape), x.new_empty(x.shape))
        clamped, gate = self.scratch
        torch.clamp(x, -6.0, 6.0, out=clamped)
        torch.sigmoid(clamped, out=gate)
        gate.mul_(clamped).mul_(0.5).tanh_()
        return torch.add(gate, clamped, alpha=0.1)
