"""Eight steps of walks on a graph that is the same in every draw."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, steps):
        return x @ torch.linalg.matrix_power(steps, 8)


def get_inputs():
    eye = torch.eye(96)
    return [torch.randn(16, 96), (eye + eye.roll(1, 0) + eye.roll(2, 0)) / 3]


def get_init_inputs():
    return []
