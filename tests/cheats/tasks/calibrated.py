"""A layer whose calibration is saved as extra state, as FP8 layers do."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(n))
        self.calibration = torch.randn(n, n) / n

    def get_extra_state(self):
        return {"calibration": self.calibration}

    def set_extra_state(self, state):
        self.calibration = state["calibration"]

    def forward(self, x):
        return x @ torch.matrix_exp(self.calibration.to(x.device)) + self.bias


def get_inputs():
    return [torch.randn(64, 128)]


def get_init_inputs():
    return [128]
