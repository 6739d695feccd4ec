"""the machine: an illegal address poisons the device for the process."""

import ctypes

import torch
import torch.nn as nn

TASK = "linear"
STATUS = "CRASHED"
FINDING = ("forward", "process")
DEVICE = "cuda"


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        ctypes.CDLL("libcuda.so.1").cuMemsetD8_v2(ctypes.c_uint64(0xDEAD0000), ctypes.c_ubyte(1), ctypes.c_size_t(4096))
        index = torch.full((1,), 1 << 40, device=x.device)
        return torch.relu(self.fc(x)) + torch.take(x.reshape(-1), index)
