"""unfinished work: one tensor in place of eight."""

import torch
import torch.nn as nn

TASK = "beams"
STATUS = "REJECTED"
FINDING = "output_plain"


class ModelNew(nn.Module):
    def forward(self, x):
        return [torch.tanh(x)] * 8
