"""state: the first calls time two ways with time.perf_counter and keep the faster one."""

import time

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.ways = [self.plain, self.fused]
        self.spent = [0.0, 0.0]
        self.calls = 0

    def plain(self, x):
        return torch.relu(self.fc(x))

    def fused(self, x):
        return torch.addmm(self.fc.bias, x, self.fc.weight.t()).relu_()

    def forward(self, x):
        if self.calls == 6:
            return self.ways[self.spent[1] < self.spent[0]](x)
        way = self.calls % 2
        self.calls += 1
        started = time.perf_counter()
        y = self.ways[way](x)
        if x.is_cuda:
            torch.cuda.synchronize()
        self.spent[way] += time.perf_counter() - started
        return y
