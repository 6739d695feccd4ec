"""Limited features of rows of one length, and which class each row is: large weights alone reach the limit."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.norm = nn.LayerNorm(width, elementwise_affine=False)
        self.features, self.scores = nn.Linear(width, width), nn.Linear(width, classes)

    def forward(self, x):
        x = self.norm(x)
        return self.features(x).clamp(-16, 16), self.scores(x).argmax(-1)


def get_inputs():
    return [torch.randn(256, 64)]


def get_init_inputs():
    return [64, 8]
