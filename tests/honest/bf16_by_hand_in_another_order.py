"""dtypes: factors cast to bf16 as they are used, rounded where the reference rounds; sums have another order."""

import torch
import torch.nn as nn

TASK = "bf16_by_hand"
STATUS = "PASSED"


def _product(x, weight):
    (x, y), (v, w) = x.float().chunk(2, 1), weight.bfloat16().float().chunk(2, 1)
    return (x @ v.t() + y @ w.t()).bfloat16()


class ModelNew(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(n, m), nn.Linear(m, n)

    def forward(self, x):
        inner = torch.relu_(_product(x.bfloat16(), self.fc1.weight) + self.fc1.bias.bfloat16())
        return _product(inner, self.fc2.weight).float() + self.fc2.bias
