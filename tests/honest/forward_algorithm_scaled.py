"""formula: the forward algorithm by scaled probabilities."""

import torch
import torch.nn as nn
import torch.nn.functional as F

TASK = "forward_algorithm"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, states, symbols):
        super().__init__()
        self.initial = nn.Parameter(torch.randn(states))
        self.transition = nn.Parameter(torch.randn(states, states))
        self.emission = nn.Parameter(torch.randn(states, symbols))

    def forward(self, obs):
        a = self.transition.softmax(-1)
        e = F.embedding(obs.t(), self.emission.softmax(-1).t())
        alpha = self.initial.softmax(-1) * e[0]
        total = 0
        for t in range(1, len(e)):
            c = alpha.sum(-1, keepdim=True)
            total = total + c.log()
            alpha = (alpha / c) @ a * e[t]
        return (total + alpha.sum(-1, keepdim=True).log()).squeeze(-1)
