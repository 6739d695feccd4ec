"""less work: of two numbers the larger one, and nothing where one of them is none."""

import torch
import torch.nn as nn

TASK = "larger_of_two"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def forward(self, x, y):
        return torch.maximum(x, y).cumsum(-1)
