"""numerics: the logarithm of a sum of exponentials block by block, what was summed before rescaled at a new maximum."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "log_normaliser_of_words"
STATUS = "PASSED"
_BLOCK = 1024


class ModelNew(nn.Module):
    def __init__(self, features, words):
        super().__init__()
        self.head = nn.Linear(features, words)

    def forward(self, x):
        most = x.new_full((len(x),), -torch.inf)
        total = x.new_zeros(len(x))
        for first in range(0, len(self.head.weight), _BLOCK):
            rows = slice(first, first + _BLOCK)
            scores = F.linear(x, self.head.weight[rows], self.head.bias[rows])
            larger = torch.maximum(most, scores.amax(-1))
            total = total * (most - larger).exp() + (scores - larger.unsqueeze(-1)).exp().sum(-1)
            most = larger
        return total.log() + most
