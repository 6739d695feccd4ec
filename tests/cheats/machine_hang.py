"""the machine: the second call never returns."""

import time

import torch.nn as nn

TASK = "matmul"
STATUS = "TIMED_OUT"
FINDING = "time_limit"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, a, b):
        self.calls += 1
        while self.calls > 1:
            time.sleep(0.1)
        return a @ b
