"""slowing the reference: children in sessions of their own spin while the candidate, and its group, are stopped."""

import os
import time

import torch
import torch.nn as nn

TASK = "linear"
CREDIT = "none"
DANGEROUS = True


def _spin(parent):
    until = time.monotonic() + 10
    while time.monotonic() < until:
        with open(f"/proc/{parent}/stat") as file:
            stopped = file.read().rpartition(")")[2].split()[0] in "Tt"
        if not stopped:
            time.sleep(0.0005)
        else:
            sum(range(20_000))


def _start():
    parent = os.getpid()
    for _ in range(2):
        try:
            if os.fork() == 0:
                try:
                    os.setsid()
                    _spin(parent)
                finally:
                    os._exit(0)
        except OSError:
            return


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        _start()

    def forward(self, x):
        return torch.relu(self.fc(x))
