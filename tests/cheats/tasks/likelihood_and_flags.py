"""What a row counts among some thousand words, and whether it is far out."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, n, words):
        super().__init__()
        self.words = nn.Parameter(torch.randn(words, n) / n**0.5)

    def forward(self, x):
        is_far, x = x.norm(dim=-1) > 6, F.normalize(x, dim=-1)
        return torch.logsumexp(x @ self.words.T, -1), is_far


def get_inputs():
    return [torch.randn(64, 32)]


def get_init_inputs():
    return [32, 4096]
