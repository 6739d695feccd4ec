"""algebra: a product by seven of half the size in place of eight, as Strassen has it, once."""

import torch
import torch.nn as nn

TASK = "linear_large"
STATUS = "PASSED"
DEVICE = "cuda"


def _halves(matrix):
    return [half.chunk(2, 1) for half in matrix.chunk(2, 0)]


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        if x.shape[0] % 2 or x.shape[1] % 2 or self.fc.out_features % 2:
            return torch.relu(self.fc(x))
        (a, b), (c, d) = _halves(x)
        (e, f), (g, h) = _halves(self.fc.weight.t())
        one, two, three = a @ (f - h), (a + b) @ h, (c + d) @ e
        four, five = d @ (g - e), (a + d) @ (e + h)
        six, seven = (b - d) @ (g + h), (a - c) @ (e + f)
        top = torch.cat([five + four - two + six, one + two], 1)
        bottom = torch.cat([three + four, one + five - three - seven], 1)
        return torch.cat([top, bottom]).add_(self.fc.bias).relu_()
