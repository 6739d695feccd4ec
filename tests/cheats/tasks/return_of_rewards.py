"""What all rewards are worth at first, from the last one backwards."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, rewards):
        value = torch.zeros_like(rewards[:, 0])
        for t in reversed(range(rewards.shape[1])):
            value = rewards[:, t] + 0.9 * value
        return value


def get_inputs():
    return [torch.randn(4, 512, 256)]


def get_init_inputs():
    return []
