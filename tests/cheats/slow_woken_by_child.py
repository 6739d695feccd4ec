"""slowing the reference: a child in a session of its own wakes the stopped candidate, whose thread then spins."""

import os
import signal
import threading
import time

import torch
import torch.nn as nn

TASK = "linear"
CREDIT = "none"
DANGEROUS = True


def _wake(parent):
    os.setsid()
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            os.kill(parent, signal.SIGCONT)
        except OSError:
            break
        time.sleep(0.0005)


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.called = time.monotonic()
        self.load = torch.randn(256, 256)
        parent = os.getpid()
        try:
            if os.fork() == 0:
                try:
                    _wake(parent)
                finally:
                    os._exit(0)
        except OSError:
            return
        threading.Thread(target=self.spin, daemon=True).start()

    def spin(self):
        until = time.monotonic() + 10
        while time.monotonic() < until:
            if time.monotonic() - self.called > 0.003:
                torch.mm(self.load, self.load)
            else:
                time.sleep(0.001)

    def forward(self, x):
        self.called = time.monotonic()
        return torch.relu(self.fc(x))
