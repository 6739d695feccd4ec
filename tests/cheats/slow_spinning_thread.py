"""slowing the reference: a thread outside the interpreter's lock keeps the cores busy between the candidate's calls."""

import threading
import time

import torch
import torch.nn as nn

TASK = "linear"
CREDIT = "none"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.inside = False
        self.load = torch.randn(256, 256)
        threading.Thread(target=self.spin, daemon=True).start()

    def spin(self):
        until = time.monotonic() + 10
        while time.monotonic() < until:
            if self.inside:
                time.sleep(0.0001)
            else:
                torch.mm(self.load, self.load)

    def forward(self, x):
        self.inside = True
        out = torch.relu(self.fc(x))
        self.inside = False
        return out
