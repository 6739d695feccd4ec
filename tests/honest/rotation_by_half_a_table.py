"""algebra: one half is read of a table that holds both"""

import torch
import torch.nn as nn

TASK = "rotation_by_tables"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, q, cos, sin):
        h = q.shape[-1] // 2
        a, b = q[..., :h], q[..., h:]
        c, s = cos[..., :h], sin[..., :h]
        return torch.cat([a * c - b * s, b * c + a * s], -1)
