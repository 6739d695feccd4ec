"""less work: all parts of long integers at once, and again for as long as something is carried."""

import torch
import torch.nn as nn

TASK = "sums_of_long_integers"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, a, b):
        total = a + b
        over, carry = torch.zeros_like(total[:, 0]), total >> 16
        while carry.any():
            over = over + carry[:, -1]
            total = total & 65535
            total[:, 1:] += carry[:, :-1]
            carry = total >> 16
        return total, over
