"""Two layers under autocast with a batch norm in train mode between them, and one number."""

import torch
import torch.nn as nn

MODE = "train"


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc1, self.norm, self.fc2 = nn.Linear(n, n), nn.BatchNorm1d(n), nn.Linear(n, 1)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            h = torch.relu(self.norm(self.fc1(x).float()))
            y = self.fc2(h).float()
        return torch.sigmoid(y).mean()


def get_inputs():
    return [torch.randn(96, 128)]


def get_init_inputs():
    return [128]
