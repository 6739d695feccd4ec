"""Two layers that work in fp16 between inputs and outputs of float32, and nobody says so but the module itself."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(n, m).half(), nn.Linear(m, n).half()

    def forward(self, x):
        inner = torch.relu(self.fc1(x.half()))
        return self.fc2(inner).float()


def get_inputs():
    return [torch.randn(96, 256)]


def get_init_inputs():
    return [256, 256]
