"""Three linear layers with ReLUs under a contract that allows TF32."""

import torch
import torch.nn as nn

PRECISION = "tf32"


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.one, self.two, self.three = (nn.Linear(n, n) for _ in range(3))

    def forward(self, x):
        return self.three(torch.relu(self.two(torch.relu(self.one(x)))))


def get_inputs():
    return [torch.randn(64, 128)]


def get_init_inputs():
    return [128]
