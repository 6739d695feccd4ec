"""How many tokens before each are the same, 64 at most, of sequences of some lengths."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x, lengths):
        padded = F.pad(x, (64, 0), value=-1)
        same, run = torch.ones_like(x, dtype=torch.bool), torch.zeros_like(x, dtype=torch.float32)
        for back in range(1, 65):
            same = same & (padded[:, 64 - back : 64 - back + x.shape[1]] == x)
            run = run + same
        return run * (torch.arange(x.shape[1], device=x.device) < lengths[:, None])


def get_inputs():
    return [torch.randint(0, 1000, (32, 256)), torch.randint(100, 257, (32,))]


def get_init_inputs():
    return []
