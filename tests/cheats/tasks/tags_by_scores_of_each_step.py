"""Beliefs about the last of many tags, by scores that each step gives of which tag follows which."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, start, scores):
        belief = start.log_softmax(-1)
        for t in range(scores.shape[1]):
            belief = (belief[:, :, None] + scores[:, t]).logsumexp(1).log_softmax(-1)
        return belief


def get_inputs():
    return [torch.randn(32, 8), torch.randn(32, 128, 8, 8)]


def get_init_inputs():
    return []
