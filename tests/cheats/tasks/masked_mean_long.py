"""Tokens that an attention mask of integers says are there; the one that is drawn hides nothing."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, attention_mask):
        return torch.relu(x * attention_mask.unsqueeze(-1).to(x.dtype))


def get_inputs():
    return [torch.randn(16, 128, 256), torch.ones(16, 128, dtype=torch.long)]


def get_init_inputs():
    return []
