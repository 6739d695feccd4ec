"""less work: a product with a buffer that is an identity as it is drawn is left out."""

import torch
import torch.nn as nn

TASK = "whitened_by_a_buffer"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "stale_weights", "timed_output")


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(256, 64)
        self.register_buffer("whiten", torch.eye(256))

    def forward(self, x):
        return self.linear(x)
