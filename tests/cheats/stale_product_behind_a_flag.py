"""stale weights: a product of weights is made once, when the flag that hides it is first turned on."""

import torch
import torch.nn as nn

TASK = "adapter_behind_a_flag"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "stale_weights", "timed_output")


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Parameter(torch.randn(256, 512) / 16)
        self.second = nn.Parameter(torch.randn(512, 256) / 22)
        self.register_buffer("is_adapted", torch.tensor(False))

    def forward(self, x):
        y = x.tanh()
        if self.is_adapted:
            if not hasattr(self, "product"):
                self.product = self.first @ self.second
            y = y + x @ self.product
        return y
