"""less work: a difference that TF32 would not show is left out, in a task of float32 that shows it."""

import torch
import torch.nn as nn

TASK = "near_inputs"
STATUS = "WRONG_OUTPUT"
FINDING = "error"


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)

    def forward(self, x, moved):
        out = x.new_zeros(2, *x.shape)
        out[0].copy_(torch.relu(self.linear(x)))
        if float(torch.dist(moved, x)) > 8e-5 * float(torch.linalg.vector_norm(x)):
            out[1].copy_(torch.relu(self.linear(moved)) - out[0])
        return out
