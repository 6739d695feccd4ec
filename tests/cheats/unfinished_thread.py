"""unfinished work: a thread computes after forward has returned."""

import threading

import torch
import torch.nn as nn

TASK = "linear"
STATUS = ("WRONG_OUTPUT", "REJECTED")
FINDING = ("error", "replayed_output", "timed_output")


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        out = torch.full_like(x, float("nan"))

        def work():
            with torch.no_grad():
                out.copy_(torch.relu(self.fc(x)))

        threading.Timer(0.0005, work).start()
        return out
