"""algebra: what is rolled by a number is two slices, one behind the other."""

import torch
import torch.nn as nn

TASK = "shift_by_two_slices"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, x, shift):
        s = int(shift)
        return torch.cat([x[:, s:], x[:, :s]], 1) * x
