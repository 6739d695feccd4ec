"""Light is kept within objects that are as large as a window at least."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.window = window

    def forward(self, light, objects):
        x = objects.float()[:, None]
        eroded = -F.max_pool2d(-x, self.window, 1, self.window // 2)
        opened = F.max_pool2d(eroded, self.window, 1, self.window // 2)[:, 0]
        return torch.where(opened > 0, light, 0.1 * light) * (1 + objects)


def get_inputs():
    return [torch.rand(8, 128, 128), torch.rand(8, 128, 128) < 0.5]


def get_init_inputs():
    return [9]
