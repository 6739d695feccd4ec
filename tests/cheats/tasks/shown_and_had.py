"""Scores of what is shown to a user, lower for what the user has had."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, scores, shown, had):
        known = (shown[:, :, None] == had[:, None, :]).any(-1)
        return scores - 8.0 * known


def get_inputs():
    return [torch.randn(16, 256), torch.randint(0, 1 << 40, (16, 256)), torch.randint(0, 1 << 40, (16, 64))]


def get_init_inputs():
    return []
