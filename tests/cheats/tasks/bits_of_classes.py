"""How often each bit of a word is set, by what the words are labelled with; some have no label."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, words, labels):
        bits = ((words[:, None] >> torch.arange(16, device=words.device)) & 1).float()
        which = (labels[:, None] == torch.arange(10, device=labels.device)).float()
        return which.T @ bits / which.sum(0).clamp(min=1)[:, None]


def get_inputs():
    labels = torch.randint(0, 10, (4096,))
    return [torch.randint(0, 1 << 16, (4096,)), torch.where(torch.rand(4096) < 0.1, -100, labels)]


def get_init_inputs():
    return []
