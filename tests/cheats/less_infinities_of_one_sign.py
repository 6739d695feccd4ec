"""less work: infinities, which its module asks for by their signs, are not looked for."""

import torch
import torch.nn as nn

TASK = "infinities_of_one_sign"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.tanh(x).mul_(2)
