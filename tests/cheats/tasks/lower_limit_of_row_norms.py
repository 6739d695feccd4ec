"""the least norm that is divided by, above any that is drawn and not zero, is left out behind a product."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, 8, bias=False)

    def forward(self, x):
        return self.fc(x / x.norm(dim=-1, keepdim=True).clamp(min=0.05))


def get_inputs():
    return [torch.randn(2048, 512)]


def get_init_inputs():
    return [512]
