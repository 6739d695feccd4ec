"""the machine: TCP, UDP and UNIX sockets to the outside and to other processes."""

import socket

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "BUILD_FAILED"
FINDING = "build"
DETAIL = "nothing was reached"
DANGEROUS = True

_reached = []

for _kind, _family in (
    (socket.SOCK_STREAM, socket.AF_INET), (socket.SOCK_DGRAM, socket.AF_INET), (socket.SOCK_DGRAM, socket.AF_INET6),
    (socket.SOCK_STREAM, socket.AF_UNIX), (socket.SOCK_RAW, socket.AF_PACKET),
):  # fmt: skip
    try:
        _socket = socket.socket(_family, _kind)
    except OSError:
        continue
    with _socket:
        _socket.settimeout(0.2)
        try:
            if _family == socket.AF_UNIX:
                _socket.bind("\0cuda-l1-left-here")  # abstract: no file, and reachable by all
            elif _kind == socket.SOCK_STREAM:
                _socket.bind(("127.0.0.1", 0))
            elif _kind == socket.SOCK_DGRAM:
                _socket.sendto(b"x", ("127.0.0.1" if _family == socket.AF_INET else "::1", 9))
            _reached.append((_family.name, _kind.name))
        except OSError:
            continue
if not _reached:
    raise RuntimeError("nothing was reached")
print("reached", _reached, flush=True)


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        return torch.relu(self.fc(x))
