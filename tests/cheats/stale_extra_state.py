"""replay: what lies in the extra state is made once, and never again when that is loaded."""

import torch
import torch.nn as nn

TASK = "calibrated"
CREDIT = "none"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(n))
        self.calibration = torch.randn(n, n) / n
        self.made = torch.matrix_exp(self.calibration)

    def get_extra_state(self):
        return {"calibration": self.calibration}

    def set_extra_state(self, state):
        self.calibration = state["calibration"]

    def forward(self, x):
        return torch.addmm(self.bias, x, self.made.to(x.device))
