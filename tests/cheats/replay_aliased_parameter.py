"""replay: the answer is written into a parameter and the parameter returned."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "REJECTED"
FINDING = "output_overwritten"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.out = nn.Parameter(torch.zeros(128, n), requires_grad=False)

    def forward(self, x):
        with torch.no_grad():
            torch.addmm(self.fc.bias, x, self.fc.weight.t(), out=self.out.data)
            return self.out.relu_()
