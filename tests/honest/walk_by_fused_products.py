"""algebra: all rounds of a walk, each one operation, and each node's sum divided by in the step."""

import torch
import torch.nn as nn

TASK = "walk_with_restarts"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def forward(self, weights, start):
        steps, again, state = weights * (0.9 / weights.sum(2, keepdim=True)), 0.1 * start, start
        for _ in range(40):
            state = torch.baddbmm(again, steps, state)
        return state
