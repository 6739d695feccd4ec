"""spoiled inputs: the input is resized in place to one row, and one row is computed."""

import torch
import torch.nn as nn

TASK = "linear"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("output_shape", "error", "inputs_modified")


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        x.resize_(1, x.shape[1])
        return torch.relu(self.fc(x))
