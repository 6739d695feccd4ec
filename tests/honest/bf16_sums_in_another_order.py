"""dtypes: two layers in bf16, rounded wherever the reference rounds; sums alone have another order."""

import torch
import torch.nn as nn

TASK = "bf16_inside"
STATUS = "PASSED"


def _layer(x, fc):
    (x, y), (v, w) = x.float().chunk(2, 1), fc.weight.float().chunk(2, 1)
    return (x @ v.t() + y @ w.t() + fc.bias.float()).bfloat16()


class ModelNew(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(n, m).bfloat16(), nn.Linear(m, n).bfloat16()

    def forward(self, x):
        return _layer(torch.relu(_layer(x.bfloat16(), self.fc1)), self.fc2).float()
