"""forged verdicts: answers that nobody asked for fill the socket, and then a length beyond all bounds."""

import gc
import struct

import torch
import torch.nn as nn

TASK = "linear"
STATUS = ("CRASHED", "BUILD_FAILED", "REJECTED", "WRONG_OUTPUT")


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        link = next((o.link for o in gc.get_objects() if type(o).__name__ == "Worker" and hasattr(o, "link")), None)
        if link is not None:
            for _ in range(5):
                link.send({"ok": True, "state": [], "missing": [], "found": {}})
            link.sock.sendall(struct.pack("<I", 0xFFFFFFFF))

    def forward(self, x):
        return torch.zeros_like(x)
