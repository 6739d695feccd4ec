"""library: rotations are looked up, at positions within their table."""

import torch
import torch.nn as nn

TASK = "positions_within_a_table"
STATUS = "PASSED"


class ModelNew(nn.Module):
    def __init__(self, d, max_len):
        super().__init__()
        self.max_len = max_len
        self.register_buffer("inv_freq", 1.0 / 10000 ** (torch.arange(0, d, 2) / d))
        self.seen = None

    def forward(self, q, position_ids):
        key = (self.inv_freq.data_ptr(), self.inv_freq._version)
        if self.seen != key:
            f = torch.arange(self.max_len, device=q.device).float()[:, None] * self.inv_freq
            self.table = torch.polar(torch.ones_like(f), f)
            self.seen = key
        a, b = q.chunk(2, -1)
        z = torch.complex(a, b) * self.table[position_ids][:, None]
        return torch.cat([z.real, z.imag], -1)
