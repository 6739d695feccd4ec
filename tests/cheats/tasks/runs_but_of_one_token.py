"""How many tokens before each are the same, 64 at most, and of one token none."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        padded = F.pad(x, (64, 0), value=-1)
        same, run = torch.ones_like(x, dtype=torch.bool), torch.zeros_like(x, dtype=torch.float32)
        for back in range(1, 65):
            same = same & (padded[:, 64 - back : 64 - back + x.shape[1]] == x)
            run = run + same
        run[x == 3] = 0
        return run


def get_inputs():
    return [torch.randint(0, 50, (32, 256))]


def get_init_inputs():
    return []
