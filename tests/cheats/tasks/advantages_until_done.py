"""Advantages of steps in games that end now and then; which step is an episode's last is a number, zero or one."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, reward, value, done):
        last, out = torch.zeros_like(reward[:, 0]), []
        for step in reversed(range(reward.shape[1])):
            goes_on = 1.0 - done[:, step]
            error = reward[:, step] + 0.99 * goes_on * value[:, step + 1] - value[:, step]
            last = error + 0.99 * 0.99 * goes_on * last
            out.append(last)
        return torch.stack(out[::-1], 1)


def get_inputs():
    return [torch.randn(32, 128), torch.randn(32, 129), (torch.rand(32, 128) < 0.2).float()]


def get_init_inputs():
    return []
