"""less work: one of several inputs is taken for positive, beside one that must be."""

import torch
import torch.nn as nn

TASK = "many_beside_a_root"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def forward(self, a, b, c, d):
        return torch.relu(b).add_(a.sqrt()).add_(c.relu()).add_(d)
